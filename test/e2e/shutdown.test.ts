import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter, startExporter } from "../support/exporter-process.ts";
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
  files = writeExporterFiles({ gatewayUrl: gateway.url, tokens: gateway.tokens });
  configuration = `--config.file=${files.configFile}`;
  writeFileSync(join(files.directory, "bomb.mjs"), BOMB);
});

afterAll(async () => {
  await gateway.stop();
  files.remove();
});

/** Loaded before the exporter: throws at a signal. */
const BOMB = `
process.on("SIGUSR2", () => {
  if (process.env.BOMB === "rejection") Promise.reject(new Error("boom"));
  else setTimeout(() => { throw new Error("boom"); });
});
`;

const start = (environment: Readonly<Record<string, string>> = {}) =>
  startExporter([configuration], { ...files.environment, ...environment });

/** A request that has begun and is incomplete. */
async function halfRequest(url: string) {
  const client = await connectRaw(url);
  client.socket.write("GET /metrics HTTP/1.1\r\nHost: a\r\n");
  return client;
}

describe("SIGTERM", () => {
  test("answers a request in progress, then closes the connection", async () => {
    const exporter = await start();
    const client = await halfRequest(exporter.url);
    exporter.signal("SIGTERM");
    await until(
      "the stop",
      () => exporter.log(),
      (log) => log.includes('"msg":"Stopping"'),
    );
    await expect(fetch(exporter.url)).rejects.toThrow("fetch failed");
    client.socket.write("\r\n");
    const answer = await client.rest();
    const { code } = await exporter.ended();
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain("aigateway_exporter_build_info");
    expect(code).toBe(0);
  });

  test("waits for clients for a bounded time, and exits with 0", async () => {
    const exporter = await start();
    const idle = await connectRaw(exporter.url);
    const slow = await halfRequest(exporter.url);
    const { code } = await exporter.stop();
    await Promise.all([idle.rest(), slow.rest()]);
    expect(code).toBe(0);
  });

  test("aborts polls that the gateway does not answer", async () => {
    const fault = gateway.faults.add({ kind: "slow", delayMs: 3_600_000 });
    const exporter = await start();
    await until(
      "the polls",
      () => gateway.faults.list()[0]?.hits ?? 0,
      (hits) => hits > 0,
    );
    const { code, stderr } = await exporter.stop();
    fault.clear();
    expect(code).toBe(0);
    expect(stderr).not.toContain('"level":"error"');
  });

  test.each([
    ["SIGTERM", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
    ["SIGINT", "SIGINT"],
  ] as const)("%s and then %s end it at once, with exit code 1", async (first, second) => {
    const exporter = await start();
    await halfRequest(exporter.url);
    exporter.signal(first);
    await until(
      "the stop",
      () => exporter.log(),
      (log) => log.includes('"msg":"Stopping"'),
    );
    exporter.signal(second);
    expect((await exporter.ended()).code).toBe(1);
  });

  test("before the exporter listens is not lost, and an early SIGHUP does not kill it", async () => {
    const child = spawn(
      process.execPath,
      [join(ROOT, "exporter/main.ts"), configuration, "--web.listen-address=127.0.0.1:0"],
      {
        env: { PATH: process.env["PATH"] ?? "", ...files.environment, NODE_OPTIONS: `--import=${EARLY}` },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    const log: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => log.push(chunk));
    await once(child, "close");
    expect(child.exitCode).toBe(0);
    expect(log.join("")).toContain('"msg":"Stopping"');
  });
});

/** Sends both signals to its own process as soon as the exporter handles the second: while it reads its configuration. */
const EARLY = `data:text/javascript,${encodeURIComponent(`
process.on("newListener", (name) => {
  if (name !== "SIGHUP") return;
  setImmediate(() => { process.kill(process.pid, "SIGHUP"); process.kill(process.pid, "SIGTERM"); });
});`)}`;

describe("an unusable address gives one clear line and exit code 1", () => {
  test.each([
    ["192.0.2.1:0", "no interface of this machine has this address"],
    ["nowhere.invalid:0", /the host (is unknown|name cannot be resolved now)/],
  ])("%s", async (address, message) => {
    const { code, stdout, stderr } = await runExporter(
      [configuration, `--web.listen-address=${address}`],
      files.environment,
    );
    const errors = stderr.split("\n").filter((line) => line.includes('"level":"error"'));
    expect({ code, stdout, errors: errors.length }).toEqual({ code: 1, stdout: "", errors: 1 });
    expect(errors[0]).toContain(`Cannot listen on ${address} (--web.listen-address): `);
    expect(errors[0]).toMatch(message);
  });
});

describe("an unexpected error", () => {
  test.each(["rejection", "exception"])(
    "(%s) is reported in one line and ends the process with 1",
    async (kind) => {
      const exporter = await start({
        NODE_OPTIONS: `--import=${join(files.directory, "bomb.mjs")}`,
        BOMB: kind,
      });
      exporter.signal("SIGUSR2");
      const { code, stderr } = await exporter.ended();
      expect(code).toBe(1);
      const last = stderr.trimEnd().split("\n").at(-1);
      expect(last).toContain('"level":"error"');
      expect(last).toContain("Cannot continue after an unexpected error: Error: boom");
    },
  );
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
    const child = spawn(process.execPath, parameters, {
      env: { PATH: process.env["PATH"] ?? "", ...files.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    const log: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => log.push(chunk));
    await once(child, "close");
    expect(child.exitCode).toBe(1);
    expect(log.join("")).not.toMatch(/\bat .*:\d+:\d+/);
  });
});

test.runIf(existsSync("/dev/full"))("an output on a full disk is an error with a message", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "exporter/main.ts"), "--version"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  closeSync(full);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Cannot write the output: ENOSPC.*\n$/)]);
});
