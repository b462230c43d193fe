import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { startExporter } from "../support/exporter-process.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let gateway: Gateway;
let files: ExporterFiles;

beforeAll(async () => {
  gateway = createGateway({ keys: 1 });
  await gateway.start();
  files = writeExporterFiles({ gatewayUrl: gateway.url, tokens: gateway.tokens });
});

afterAll(async () => {
  await gateway.stop();
  files.remove();
});

async function start(env: Readonly<Record<string, string>> = {}) {
  const exporter = await startExporter([`--config.file=${files.configFile}`], {
    ...files.environment,
    ...env,
  });
  onTestFinished(async () => void (await exporter.stop()));
  return exporter;
}

test("SIGUSR1 neither opens the debugger nor ends the exporter", async () => {
  const exporter = await start();
  for (let time = 0; time < 5; time++) {
    exporter.signal("SIGUSR1");
    expect((await fetch(`${exporter.url}/metrics`)).status).toBe(200);
  }
  const { code, stderr } = await exporter.stop();
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/debugger/i);
});

test("an open debugger is reported", async () => {
  const exporter = await start({ NODE_OPTIONS: "--inspect=127.0.0.1:0" });
  expect(exporter.log()).toContain("A debugger can connect to this process and read every secret");
});
