import { writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter } from "../support/exporter-process.ts";
import { listenOnLoopback } from "../support/loopback.ts";

const UP = 'aigateway_key_up{key="billing"} 1\n';

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
    url: "",
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
