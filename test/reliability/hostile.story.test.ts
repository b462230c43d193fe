import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type ExporterProcess, startExporter } from "../support/exporter-process.ts";
import type { Listening } from "../support/loopback.ts";
import { connectRaw } from "../support/raw-client.ts";
import { seriesOfText, type SeriesMap } from "../support/series.ts";
import { until } from "../support/until.ts";
import { HOSTILE_ANSWERS, startHostileGateway } from "./hostile-answers.ts";

/** What a hostile or broken file of a key may be. Each is one key's failure. */
const KEY_FILES: Readonly<Record<string, (path: string) => void>> = {
  "is-a-fifo": fifo,
  "is-a-device": (path) => symlinkSync("/dev/zero", path),
  "has-1-gb": sparse,
  vanishes: () => {},
  "is-a-dangling-link": (path) => symlinkSync("nowhere", path),
  "is-a-folder": (path) => mkdirSync(path),
  "is-empty": (path) => writeFileSync(path, "\n"),
  "has-two-lines": (path) => writeFileSync(path, "sk-one\nsk-two\n"),
  "has-a-header": (path) => writeFileSync(path, "sk-one\r\nhost: elsewhere"),
};

/** What may replace the configuration. A reload refuses it. */
const CONFIGURATIONS: Readonly<Record<string, (path: string, text: string) => void>> = {
  "half of it": (path, text) => writeFileSync(path, text.slice(0, text.length / 2)),
  "a FIFO": fifo,
  "a device": (path) => symlinkSync("/dev/zero", path),
  "a folder": (path) => mkdirSync(path),
  "1 GB": sparse,
  "nested aliases": (path) => {
    const lines = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    writeFileSync(path, ["a0: &a0 x", ...lines].join("\n"));
  },
  "brackets 10,000 deep": (path) => writeFileSync(path, "[".repeat(10_000)),
  "2,000 problems": (path) => writeFileSync(path, `keys: [${"{name: X, nonsense: 1},".repeat(2000)}]`),
};

const GET = "GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
const RELOAD = "POST /-/reload HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n";

/** Requests that no honest client sends, and how the answer begins. */
const REQUESTS: readonly (readonly [string, string, RegExp])[] = [
  ["a header of 1 MB", `${GET}x: ${"y".repeat(2 ** 20)}\r\n\r\n`, /^HTTP\/1.1 431 /],
  ["2,000 headers", `${GET}${"x: y\r\n".repeat(4000)}\r\n`, /^HTTP\/1.1 431 /],
  ["a path of 1 MB", `GET /${"a".repeat(2 ** 20)} HTTP/1.1\r\nhost: x\r\n\r\n`, /^HTTP\/1.1 431 /],
  ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001", /^HTTP\/1.1 400 /],
  ["an encoded path", GET.replace("/metrics", "/%6d%65trics%00") + "\r\n", /^HTTP\/1.1 404 /],
  ["a path out of the tree", GET.replace("/metrics", "/../../etc/passwd") + "\r\n", /^HTTP\/1.1 404 /],
  ["a reload from another site", `${RELOAD}origin: https://elsewhere.example\r\n\r\n`, /^HTTP\/1.1 403 /],
  ["a reload from a sandboxed page", `${RELOAD}origin: null\r\n\r\n`, /^HTTP\/1.1 403 /],
  ["a reload from a link", `${RELOAD}sec-fetch-site: cross-site\r\n\r\n`, /^HTTP\/1.1 403 /],
  [
    "a reload with two framings",
    `${RELOAD}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n`,
    /^HTTP\/1.1 400 /,
  ],
];

const TOKENS = new Map(
  ["honest", ...Object.keys(HOSTILE_ANSWERS)].map((name) => [name, `sk-or/${name}/5f0c1e7a94b2d8`]),
);
let gateway: Listening;
let files: ExporterFiles;
let exporter: ExporterProcess;

beforeAll(async () => {
  gateway = await startHostileGateway(TOKENS);
  const url = `http://${gateway.address}/api/v1`;
  files = writeExporterFiles({ url, tokens: TOKENS });
  for (const name of Object.keys(KEY_FILES)) writeFileSync(join(files.directory, name), `sk-file-${name}`);
  files.write(configuration(url));
  exporter = await startExporter(
    [`--config.file=${files.configFile}`, "--web.enable-lifecycle"],
    files.environment,
  );
});

afterAll(async () => {
  await exporter.stop();
  await gateway.stop();
  files.remove();
});

function configuration(url: string) {
  const byVariable = [...TOKENS.keys()].map((name, index) => ({
    name,
    api_key_env: `KEY_${index}`,
    show_label: true,
  }));
  const byFile = Object.keys(KEY_FILES).map((name) => ({ name, api_key_file: join(files.directory, name) }));
  return {
    gateway: { base_url: url, requests_per_minute: 0, timeout: "1s", deadline: "1s", connections: 60 },
    keys: [...byVariable, ...byFile],
    schedule: { keys: "* * * * * *" },
  };
}

async function page(path: string): Promise<string> {
  const response = await fetch(exporter.url + path);
  expect(response.status).toBe(200);
  return response.text();
}

/** No series while a burst of requests is answered: then a scrape is a 503, and the next one succeeds. */
async function series(): Promise<SeriesMap> {
  const response = await fetch(`${exporter.url}/metrics`);
  const text = await response.text();
  return seriesOfText(response.status === 503 ? "" : text);
}

/** Whether the key is up, once that is what is wanted. */
async function upOf(name: string, wanted: 0 | 1): Promise<number | undefined> {
  const sample = `aigateway_key_up{key="${name}"}`;
  const seen = await until(sample, series, (later) => later.get(sample) === wanted);
  return seen.get(sample);
}

/** The usage of the honest key, after another answer. */
async function honestUsage(): Promise<number | undefined> {
  const success = 'aigateway_key_last_success_timestamp_seconds{key="honest"}';
  const before = (await series()).get(success) ?? 0;
  const seen = await until("another answer", series, (later) => (later.get(success) ?? 0) > before);
  return seen.get('aigateway_key_usage_credits{key="honest"}');
}

describe("a gateway that sends", () => {
  test.each(Object.entries(HOSTILE_ANSWERS))("%s harms its own key only", async (name, { up }) => {
    expect(await upOf(name, up)).toBe(up);
  });

  test("all of that at once harms no other key, fills no memory and learns no secret from us", async () => {
    expect(await honestUsage()).toBe(101);
    const status = readFileSync(`/proc/${exporter.pid}/status`, "utf8");
    // The limit of the deployments.
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024).toBeLessThan(512);
    const said =
      exporter.log() + (await page("/")) + (await page("/api/v1/status")) + (await page("/metrics"));
    for (const token of TOKENS.values()) {
      for (const form of ["utf8", "base64", "hex"] as const)
        expect(said).not.toContain(Buffer.from(token).toString(form));
      expect(said).not.toContain(token.replaceAll("/", "%2F"));
    }
  });
});

describe("a client that sends", () => {
  test.each(REQUESTS)("%s is refused", async (_, request, answer) => {
    const client = await connectRaw(exporter.url);
    client.socket.write(request);
    expect(await client.rest()).toMatch(answer);
  });

  test("nothing over 300 connections, or never reads, keeps nobody out", async () => {
    connectIdle(300);
    expect(await honestUsage()).toBe(101);
  });
});

describe("on the disk", () => {
  test.concurrent.each(Object.entries(KEY_FILES))(
    "a key file that %s fails its key only",
    async (name, make) => {
      const path = join(files.directory, name);
      rmSync(path);
      make(path);
      const failed = 'aigateway_exporter_poll_failures_total{collector="key",reason="secret_unreadable"}';
      const before = (await series()).get(failed) ?? 0;
      await until("its failure", series, (seen) => (seen.get(failed) ?? 0) > before);
      expect(await upOf(name, 0)).toBe(0);
    },
  );

  test("no such file harms another key", async () => {
    expect(await honestUsage()).toBe(101);
  });

  test.each(Object.entries(CONFIGURATIONS))("a configuration that is %s is refused", async (_, make) => {
    const { configFile } = files;
    const text = readFileSync(configFile, "utf8");
    rmSync(configFile);
    make(configFile, text);
    const { status } = await fetch(`${exporter.url}/-/reload`, { method: "POST" });
    rmSync(configFile, { recursive: true });
    writeFileSync(configFile, text);
    expect(status).toBe(500);
    expect(await page("/-/healthy")).not.toBe("");
  });
});

test("SIGTERM ends it with 0 while clients say nothing or never read", async () => {
  connectIdle(60);
  expect(await honestUsage()).toBe(101);
  expect((await exporter.stop()).code).toBe(0);
});

/** Clients of which one in 30 asks again and again and never reads. */
function connectIdle(count: number): void {
  const { hostname: host, port } = new URL(exporter.url);
  for (let index = 0; index < count; index++) {
    const socket = connect({ host, port: Number(port) }).on("error", () => {});
    onTestFinished(() => void socket.destroy());
    if (index % 30 === 0) socket.pause().write("GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n".repeat(1000));
  }
}

function fifo(path: string): void {
  execFileSync("mkfifo", [path]);
}

function sparse(path: string): void {
  writeFileSync(path, "");
  truncateSync(path, 2 ** 30);
}
