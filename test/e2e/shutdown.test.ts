import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { launch } from "../support/child.ts";
import { type ExporterProcess, startExporter } from "../support/exporter-process.ts";
import { connectRaw } from "../support/raw-client.ts";
import { ROOT } from "../support/repository.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let gateway: Gateway;
let files: ExporterFiles;
let configuration: string;

beforeAll(async () => {
  gateway = createGateway({ keys: 3 });
  await gateway.start();
  files = writeExporterFiles({ url: gateway.url, tokens: gateway.tokens });
  configuration = `--config.file=${files.configFile}`;
});

afterAll(async () => {
  await gateway.stop();
  files.remove();
});

const start = () => startExporter([configuration], files.environment);

/** A request that has begun and is incomplete. */
async function halfRequest(url: string) {
  const client = await connectRaw(url);
  client.socket.write("GET /metrics HTTP/1.1\r\nHost: a\r\n");
  return client;
}

/** Sends SIGTERM and waits until the exporter has noticed. */
async function beginStop(exporter: ExporterProcess): Promise<void> {
  exporter.signal("SIGTERM");
  await until(
    "the stop",
    () => exporter.log(),
    (log) => log.includes('"msg":"Stopping"'),
  );
}

describe("a signal", () => {
  test("SIGTERM answers a request in progress, then closes the connection", async () => {
    const exporter = await start();
    const client = await halfRequest(exporter.url);
    await beginStop(exporter);
    await expect(fetch(exporter.url)).rejects.toThrow("fetch failed");
    client.socket.write("\r\n");
    const answer = await client.rest();
    const { code } = await exporter.ended();
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain("aigateway_exporter_build_info");
    expect(code).toBe(0);
  });

  test("SIGTERM waits for clients for a bounded time, and exits with 0", async () => {
    const exporter = await start();
    const idle = await connectRaw(exporter.url);
    const slow = await halfRequest(exporter.url);
    const { code } = await exporter.stop();
    await Promise.all([idle.rest(), slow.rest()]);
    expect(code).toBe(0);
  });

  test("SIGINT aborts polls that the gateway does not answer", async () => {
    const fault = gateway.faults.add({ kind: "slow", delayMs: 3_600_000 });
    const exporter = await start();
    await until(
      "the polls",
      () => gateway.faults.list()[0]?.hits ?? 0,
      (hits) => hits > 0,
    );
    const { code, stdout, stderr } = await exporter.stop("SIGINT");
    fault.clear();
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain('"msg":"Stopping"');
    expect(stderr).not.toContain('"level":"error"');
  });

  test("SIGTERM and then SIGINT end it at once, with exit code 1", async () => {
    const exporter = await start();
    await halfRequest(exporter.url);
    await beginStop(exporter);
    exporter.signal("SIGINT");
    expect((await exporter.ended()).code).toBe(1);
  });
});

test("SIGHUP while it starts does not end it", async () => {
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) {
      if (url.endsWith("/cli/daemon/run.ts")) process.kill(process.pid, "SIGHUP");
      return next(url, context);
    } });`;
  const preload = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`];
  const program = [...preload, join(ROOT, "exporter/main.ts")];
  const exporter = await startExporter([configuration], files.environment, program);
  // The reload may still be under way.
  expect((await exporter.stop()).code).toBe(0);
});

describe("a closed pipe", () => {
  test("of the log does not end the exporter", async () => {
    const exporter = await start();
    exporter.closeLog();
    files.write("keys: [");
    exporter.signal("SIGHUP");
    await until(
      "the failed reload, which is logged",
      async () => (await fetch(`${exporter.url}/metrics`)).text(),
      (text) => text.includes("aigateway_exporter_config_last_reload_successful 0"),
    );
    files.write({});
    expect((await fetch(`${exporter.url}/-/healthy`)).status).toBe(200);
    expect((await exporter.stop()).code).toBe(0);
  });

  test("of the output ends --once with exit code 1 and without a stack trace", async () => {
    const parameters = [join(ROOT, "exporter/main.ts"), "--once", configuration];
    const { child, ended, stderr } = launch(process.execPath, parameters, { environment: files.environment });
    child.stdout.destroy();
    expect(await ended).toBe(1);
    expect(stderr()).not.toMatch(/\bat .*:\d+:\d+/);
  });
});
