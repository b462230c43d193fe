import { writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter } from "../support/exporter-process.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { startProxy } from "../support/proxy-server.ts";
import { startSimulatedGateway } from "../support/simulated-gateway.ts";

const UP = 'aigateway_key_up{key="billing"} 1\n';

/** The files of an exporter that polls `https://gateway.test`, and a gateway that answers as that host. */
async function setUp() {
  const authority = createAuthority();
  const server = createTlsServer(authority.issue("gateway.test"), (_, response) => {
    response.end(JSON.stringify({ data: { usage: 1.5 } }));
  });
  const { port, stop } = await listenOnLoopback(server);
  onTestFinished(stop);
  const files = writeExporterFiles({
    gatewayUrl: "https://gateway.test/api/v1",
    tokens: new Map([["billing", "sk-billing-0123456789"]]),
    content: { gateway: { base_url: "https://gateway.test/api/v1", timeout: "2s", deadline: "2s" } },
  });
  onTestFinished(() => files.remove());
  const trusted = join(files.directory, "authority.pem");
  writeFileSync(trusted, authority.cert);
  const run = (command: string, environment: Readonly<Record<string, string>>) =>
    runExporter([command, `--config.file=${files.configFile}`], {
      ...files.environment,
      NODE_EXTRA_CA_CERTS: trusted,
      ...environment,
    });
  return { port, run, once: (environment: Readonly<Record<string, string>>) => run("--once", environment) };
}

test("the exporter reaches an https gateway through the proxy of HTTPS_PROXY, with credentials", async () => {
  const { port, once } = await setUp();
  const proxy = await startProxy({ port, login: "me:pass-of-the-proxy" });
  const { code, stdout, stderr } = await once({
    HTTPS_PROXY: proxy.url.replace("://", "://me:pass-of-the-proxy@"),
  });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(UP);
  expect(proxy.requests).toEqual(["CONNECT gateway.test:443"]);
});

test("a proxy that refuses the credentials is named in the log, without them", async () => {
  const { port, once } = await setUp();
  const proxy = await startProxy({ port, login: "me:pass-of-the-proxy" });
  const { code, stdout, stderr } = await once({
    HTTPS_PROXY: proxy.url.replace("://", "://me:a-wrong-password@"),
  });
  expect(code).toBe(1);
  expect(stdout).toContain('aigateway_key_up{key="billing"} 0\n');
  expect(stderr).toContain(`the connection through the proxy ${proxy.url} failed: the proxy answered 407`);
  expect(`${stdout}${stderr}`).not.toContain("a-wrong-password");
});

test("a proxy whose URL is wrong is an error, without the URL", async () => {
  const { once } = await setUp();
  const { code, stdout, stderr } = await once({ HTTPS_PROXY: "socks5://me:pass-of-the-proxy@proxy.test" });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("cannot be reached through the proxy of HTTPS_PROXY");
  expect(stderr).not.toContain("pass-of-the-proxy");
});

test("check names the proxy, without credentials", async () => {
  const { run } = await setUp();
  const { code, stdout } = await run("check", { https_proxy: "http://me:pass-of-the-proxy@proxy.test:3128" });
  expect(code).toBe(0);
  expect(stdout).toMatch(/is valid: 1 key, through the proxy http:\/\/proxy\.test:3128\n/);
});

test("a gateway on this machine is requested directly", async () => {
  const gateway = await startSimulatedGateway();
  const tokens = new Map([["billing", gateway.addKey({ name: "billing" })]]);
  const files = writeExporterFiles({ gatewayUrl: gateway.url, tokens });
  onTestFinished(() => files.remove());
  const proxy = await startProxy({ port: 1, refusal: 403 });
  const { stdout } = await runExporter(["--once", `--config.file=${files.configFile}`], {
    ...files.environment,
    HTTP_PROXY: proxy.url,
    HTTPS_PROXY: proxy.url,
  });
  expect(stdout).toContain(UP);
  expect(proxy.requests).toEqual([]);
});
