import { connect } from "node:net";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { type RunningApp, startAppFrom } from "../support/test-app.ts";
import { runs, TIMEOUT_MS } from "./runs.ts";

let app: RunningApp;

beforeAll(async () => {
  // No gateway listens there, so the pages show a key that fails.
  const tokens = new Map([["billing", "sk-test"]]);
  app = await startAppFrom(writeExporterFiles({ gatewayUrl: "http://127.0.0.1:9/api/v1", tokens }));
  await app.clock.runTo(app.clock.now() + 60_000);
});
afterAll(async () => {
  await app.stop();
  app.files.remove();
});

const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }));
const path = fc.oneof(
  fc.constantFrom(
    "/metrics",
    "/",
    "/-/healthy",
    "/-/ready",
    "/-/reload",
    "*",
    "/metrics?x=1",
    "/%00",
    "//",
    "http://x/",
  ),
  fc.webPath(),
  text,
);
const method = fc.oneof(
  fc.constantFrom("GET", "HEAD", "POST", "PUT", "OPTIONS", "CONNECT", "TRACE"),
  fc.string(),
);
const version = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("HTTP/1.1", "HTTP/1.0") },
  { weight: 1, arbitrary: text },
);
const name = fc.oneof(
  fc.constantFrom(
    "Host",
    "Accept",
    "Accept-Encoding",
    "Authorization",
    "Connection",
    "Content-Length",
    "Transfer-Encoding",
    "Expect",
    "Upgrade",
    "Range",
    "If-None-Match",
    "X-Prometheus-Scrape-Timeout-Seconds",
  ),
  fc.string(),
);
const value = fc.oneof(
  fc.constantFrom(
    "x",
    "gzip",
    "gzip;q=0",
    "identity",
    "*;q=0.1",
    "application/openmetrics-text;version=1.0.0;q=0.5",
    "text/plain;q=x",
    "close",
    "keep-alive",
    "upgrade",
    "h2c",
    "websocket",
    "0",
    "-1",
    "5",
    "1e9",
    "chunked",
    "100-continue",
    "Basic eDp5",
    "Bearer x",
  ),
  text,
);
const header = fc.tuple(name, value).map(([key, content]) => `${key}: ${content}\r\n`);

const KNOWN = [
  "/metrics",
  "/",
  "/api/v1/status",
  "/keys/key-0",
  "/keys/",
  "/account",
  "/models",
  "/models/",
  "/apps/a",
  "/-/healthy",
  "/-/ready",
  "/-/reload",
];
const sign = fc.constantFrom("%", "%zz", "%2f", "..", "/", "?", "#", "&", ";", "\\", "~", "é", "a");
const unusual = fc
  .tuple(fc.constantFrom(...KNOWN), fc.array(sign, { minLength: 1, maxLength: 4 }))
  .map(([known, signs]) => known + signs.join(""));
const ordinary = fc
  .record({
    method: fc.constantFrom("GET", "GET", "HEAD", "POST"),
    path: fc.oneof(fc.constantFrom(...KNOWN), fc.webPath(), unusual),
    headers: fc.array(header, { maxLength: 2 }),
  })
  .map((made) => `${made.method} ${made.path || "/"} HTTP/1.1\r\nHost: x\r\n${made.headers.join("")}\r\n`);

const wild = fc
  .record({ method, path, version, headers: fc.array(header, { maxLength: 6 }), body: text })
  .map(
    (made) =>
      `${made.method} ${made.path} ${made.version}\r\nHost: x\r\n${made.headers.join("")}\r\n${made.body}`,
  );

/** Requests from those of browsers to those of scanners. */
const request = fc.oneof(
  { weight: 4, arbitrary: ordinary.map((sent) => Buffer.from(sent)) },
  { weight: 4, arbitrary: wild.map((sent) => Buffer.from(sent)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) },
);

/** Everything that the server sends until it closes or stays silent. */
function exchange(bytes: Buffer): Promise<Buffer> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => resolve(Buffer.concat(chunks)));
    socket.setTimeout(2000, () => socket.destroy());
  });
}

/** The statuses of consecutive responses; throws if the bytes are not HTTP. */
function statusesOf(answers: Buffer, isHead: boolean): number[] {
  const statuses: number[] = [];
  let rest = answers;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    const [statusLine = "", ...fields] = rest.subarray(0, Math.max(0, end)).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\w -]+$/.exec(statusLine)?.[1]);
    const isGood = end > 0 && status >= 100 && fields.every((field) => /^[\w-]+: [\x20-\x7e]*$/.test(field));
    if (!isGood)
      throw new Error(`No answer of HTTP: ${JSON.stringify(rest.toString("latin1").slice(0, 300))}`);
    statuses.push(status);
    const bodyLength = isHead || status < 200 ? 0 : lengthOf(fields.join("\n"));
    if (rest.length < end + 4 + bodyLength) throw new Error(`The answer ${status} is cut short`);
    rest = rest.subarray(end + 4 + bodyLength);
  }
  return statuses;
}

/** The length of a body; Node's own responses have an empty chunked one. */
function lengthOf(fields: string): number {
  if (/^transfer-encoding: chunked$/im.test(fields)) return "0\r\n\r\n".length;
  return Number(/^content-length: (\d+)$/im.exec(fields)?.[1] ?? 0);
}

const EXPECTED = new Set([100, 200, 400, 403, 404, 405, 408, 413, 417, 431, 503]);

test(
  "any request gets a valid response or none, and never a 500",
  async () => {
    const seen = new Map<number, number>();
    const property = fc.asyncProperty(request, async (bytes) => {
      for (const status of statusesOf(await exchange(bytes), bytes.subarray(0, 5).toString() === "HEAD ")) {
        expect(EXPECTED).toContain(status);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    });
    await fc.assert(property, runs(400));
    for (const status of [200, 400, 404, 405]) expect(seen.get(status)).toBeGreaterThan(3);
    expect(
      app.lines.filter(({ level, message }) => level === "error" && !message.startsWith("Cannot read key")),
    ).toEqual([]);
    const health = await fetch(`${app.url}/-/healthy`);
    expect([health.status, await health.text()]).toEqual([200, "The exporter is healthy\n"]);
  },
  TIMEOUT_MS,
);
