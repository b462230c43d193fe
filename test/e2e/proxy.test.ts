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

test("a gateway behind an edge gets the client certificate and the headers of the configuration", async () => {
  const authority = createAuthority();
  const seen: unknown[] = [];
  const server = createTlsServer(
    { ...authority.issue("127.0.0.1"), ca: authority.cert, requestCert: true },
    ({ headers }, response) => {
      seen.push([headers["x-edge-id"], headers["x-edge-secret"]]);
      response.setHeader("date", new Date(Date.now() - 90_000).toUTCString());
      response.end(JSON.stringify({ data: { usage: 1.5 } }));
    },
  );
  const { port, stop } = await listenOnLoopback(server);
  onTestFinished(stop);
  const files = writeExporterFiles({
    gatewayUrl: "",
    tokens: new Map([["billing", "sk-billing-0123456789"]]),
    content: {
      gateway: {
        base_url: `https://127.0.0.1:${port}/api/v1`,
        tls: { ca_file: "ca.pem", cert_file: "client.crt", key_file: "client.key" },
        headers: [
          { name: "X-Edge-Id", value_file: "id" },
          { name: "X-Edge-Secret", value_env: "EDGE" },
        ],
      },
    },
  });
  onTestFinished(() => files.remove());
  const client = authority.issue("exporter");
  const contents = {
    "ca.pem": authority.cert,
    "client.crt": client.cert,
    "client.key": client.key,
    id: "me-at-the-edge",
  };
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(files.directory, name), text);
  const run = (...parameters: readonly string[]) =>
    runExporter([...parameters, `--config.file=${files.configFile}`], {
      ...files.environment,
      EDGE: "word-of-the-edge",
    });
  const { code, stdout, stderr } = await run("--once");
  expect([code, seen]).toEqual([0, [["me-at-the-edge", "word-of-the-edge"]]]);
  expect(stdout).toContain(UP);
  expect(stdout).toMatch(/^aigateway_exporter_gateway_clock_difference_seconds -(?:89|9\d)$/m);
  expect(stderr).toMatch(/The gateway's clock is (?:89|9\d) s behind that of this machine/);
  writeFileSync(join(files.directory, "client.key"), authority.issue("other").key);
  const checked = await run("check");
  expect(checked.stderr).toContain("gateway.tls: has certificates or a key that TLS cannot use");
  expect(`${stderr}${checked.stdout}${checked.stderr}`).not.toMatch(/at-the-edge|word-of/);
});
