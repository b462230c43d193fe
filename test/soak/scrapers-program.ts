import { Agent, type IncomingMessage, request } from "node:http";
import { createGunzip } from "node:zlib";
import { type ScraperMessage, ScraperOrder } from "./messages.ts";

const { url, intervalMs } = ScraperOrder.parse(JSON.parse(process.argv[2] ?? ""));
const agent = new Agent({ keepAlive: true });
let report: ScraperMessage = { scrapes: [], failures: [], delays: [] };

process.once("disconnect", () => process.exit());
setInterval(() => {
  process.send?.(report);
  report = { scrapes: [], failures: [], delays: [] };
}, 1000);

const OPENMETRICS = "application/openmetrics-text;version=1.0.0";
/** Prometheus' own default. */
const SCRAPE_TIMEOUT_MS = 10_000;

repeat("gzip", 500, (turn) =>
  whole("/metrics", { "accept-encoding": "gzip", accept: turn % 2 ? OPENMETRICS : "*/*" }),
);
repeat("slow reader", Math.max(1000, intervalMs / 2), () => slowly("/metrics"));
repeat("broken off", Math.max(500, intervalMs / 20), () => brokenOff("/metrics"));
repeat("status page", intervalMs / 6, () => whole("/", {}));
repeat("readiness", intervalMs / 6, () => whole("/-/ready", {}));

/** Begins at fixed times, as Prometheus does, whether or not the previous one has ended. */
function repeat(kind: string, everyMs: number, scrape: (turn: number) => Promise<number>): void {
  let turn = 0;
  setInterval(() => {
    const started = performance.now();
    turn += 1;
    scrape(turn)
      .then((bytes) => report.scrapes.push({ kind, ms: performance.now() - started, bytes }))
      .catch((error: unknown) =>
        report.failures.push(`${new Date().toISOString()} ${kind}: ${String(error)}`),
      );
  }, everyMs);
}

/** Reads a response to its end and returns the number of bytes on the wire. */
async function whole(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await answer(path, headers);
  let bytes = 0;
  response.on("data", (chunk: Buffer) => (bytes += chunk.length));
  const gunzip = createGunzip();
  const isGzip = response.headers["content-encoding"] === "gzip";
  let tail = "";
  const text = isGzip ? response.pipe(gunzip) : response;
  response.on("error", (error) => gunzip.destroy(error));
  for await (const chunk of text) tail = tail.slice(-TAIL_LENGTH) + String(chunk);
  if (!response.complete) throw new Error("the answer ended early");
  noteDelay(tail);
  return bytes;
}

/** The exporter's own metrics are at the end, and a chunk is shorter than this. */
const TAIL_LENGTH = 100_000;

function noteDelay(tail: string): void {
  const [p99, max] = ["p99", "max"].map((name) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, "m").exec(tail)?.[1]),
  );
  if (p99 !== undefined && max !== undefined && max >= 0) report.delays.push({ p99, max });
}

/** A client on a slow line: uncompressed, a piece at a time. */
async function slowly(path: string): Promise<number> {
  const response = await answer(path, {});
  let bytes = 0;
  for await (const chunk of response) {
    bytes += Buffer.byteLength(String(chunk));
    await new Promise((resolve) => {
      setTimeout(resolve, SLOW_READ_MS);
    });
  }
  if (!response.complete) throw new Error("the answer ended early");
  return bytes;
}

/** 64 KiB at a time: half a minute for 20 MB. */
const SLOW_READ_MS = 100;

/** Disconnects in the middle, alternately in order and by a reset. */
async function brokenOff(path: string): Promise<number> {
  const response = await answer(path, { connection: "close" });
  await new Promise((resolve) => {
    response.once("data", resolve);
  });
  response.on("error", () => {});
  // A short response may have ended already.
  if (Math.random() < 0.5 && response.readable) response.socket.resetAndDestroy();
  else response.destroy();
  return 0;
}

function answer(path: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), { headers, agent }, (response) => {
      // The process cannot be ready before every key was polled.
      const isGood = response.statusCode === 200 || (path === "/-/ready" && response.statusCode === 503);
      if (isGood) return resolve(response);
      response.resume();
      reject(new Error(`${path} answered ${response.statusCode}`));
    });
    asked.setTimeout(SCRAPE_TIMEOUT_MS, () =>
      asked.destroy(new Error(`no byte for ${SCRAPE_TIMEOUT_MS} ms`)),
    );
    // The server may close a kept connection at this moment; Prometheus' client retries as well.
    asked.on("error", (error) => (asked.reusedSocket ? resolve(answer(path, headers)) : reject(error)));
    asked.end();
  });
}
