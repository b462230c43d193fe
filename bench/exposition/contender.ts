import { createServer, type RequestListener } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { listenOnLoopback } from "../../test/support/loopback.ts";
import { serveParent } from "../child.ts";

/** An implementation that holds series and exposes them. A contender's program serves it to the benchmarks. */
export interface Subject {
  /** Sets all values to those of a round. */
  fill(round: number): void;
  /** Renders the whole text, uncompressed. */
  render(): Promise<unknown>;
  /** Renders and compresses the whole text. */
  publish(): Promise<unknown>;
  /** Listens on a port of 127.0.0.1 and answers `/metrics`. */
  listen(): Promise<number>;
}

/** Serves the subject that `open` creates. The memory that this takes is part of the subject. */
export async function serveSubject(series: number, open: () => Promise<Subject> | Subject): Promise<void> {
  const before = heldBytes();
  const subject = await open();
  subject.fill(0);
  const port = await subject.listen();
  serveParent({ port, series }, async (message) => {
    const { ask, round } = asRequest(message);
    if (ask === "fill") subject.fill(round);
    if (ask === "render" || ask === "publish") return timed(() => subject[ask]());
    const bytesPerSeries = ask === "memory" ? (heldBytes() - before) / series : 0;
    const { user, system } = process.cpuUsage();
    const peakMegabytes = process.resourceUsage().maxRSS / 1024;
    return { cpuMs: (user + system) / 1000, peakMegabytes, bytesPerSeries };
  });
}

interface Request {
  readonly ask: string;
  readonly round: number;
}

function asRequest(message: unknown): Request {
  const { ask, round }: { ask?: unknown; round?: unknown } = Object(message);
  return { ask: String(ask), round: Number(round) };
}

async function timed(work: () => Promise<unknown>): Promise<{ ms: number; cpuMs: number }> {
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

/** Memory in use after a garbage collection. */
function heldBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The usual server around a registry: it renders the text for each scrape and compresses it off the event loop. */
export async function listenWithText(contentType: string, text: () => Promise<string>): Promise<number> {
  return listen((request, response) => {
    void text().then(async (body) => {
      const zipped = /gzip/.test(String(request.headers["accept-encoding"]));
      const bytes = zipped ? await compress(body) : Buffer.from(body);
      const encoding = zipped ? { "content-encoding": "gzip" } : {};
      response.writeHead(200, { "content-type": contentType, "content-length": bytes.length, ...encoding });
      response.end(bytes);
    });
  });
}

export const compress = promisify<string, Buffer>(gzip);

export async function listen(answer: RequestListener): Promise<number> {
  return (await listenOnLoopback(createServer(answer))).port;
}
