import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { atMost, value, type Benchmark, type Readings, type Runner } from "../benchmark.ts";
import { type ProbedExporter, startProbedExporter } from "./probed-exporter.ts";
import { startUpstream } from "../poll/polled-exporter.ts";

const KEYS = 10_000;
const CONNECTIONS = 64;
const REQUESTS = 3;
/** A reader pauses, and memory that rests is slower to read on some machines. */
const PAUSE_MS = 1200;

/** Each is a contender. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ["first page", "/"],
  ["last page", "/?page=100"],
  ["sorted", "/?sort=name"],
  ["search", "/?search=key-99"],
  ["a key", "/keys/key-5000-payments"],
  ["JSON", "/api/v1/status"],
]);

/** How long a reader of the status page waits. */
export const pageBenchmark: Benchmark = {
  name: "process/page",
  title:
    "The status page of an exporter that polls 10,000 keys every minute. `first byte` and `whole` are from the request until then, each the longest of three " +
    "requests; `stall` is the longest delay of a timer in its process meanwhile.",
  quantities: [
    { name: "first byte", unit: "ms" },
    { name: "whole", unit: "ms" },
    { name: "size", unit: "kB" },
    { name: "stall", unit: "ms" },
  ],
  goals: [...PAGES.keys()].map((of) => atMost("first byte", value(of), 50, 20)),
  rounds: 5,
  open: async () => {
    const upstream = await startUpstream(50);
    const exporter = await startProbedExporter(KEYS, {
      gateway: { base_url: upstream.url, requests_per_minute: 0, connections: CONNECTIONS },
      schedule: { keys: "1m" },
    });
    while (!(await isPolled(exporter))) await sleep(500);
    return {
      contenders: [...PAGES].map(([name, path]): Runner => ({ name, round: () => readPage(exporter, path) })),
      close: async () => {
        await exporter.close();
        await upstream.close();
      },
    };
  },
};

async function isPolled({ url }: ProbedExporter): Promise<boolean> {
  return (await fetch(`${url}/-/ready`)).ok;
}

async function readPage(exporter: ProbedExporter, path: string): Promise<Readings> {
  await exporter.probe();
  const answers: Answer[] = [];
  for (let request = 0; request < REQUESTS; request++) {
    await sleep(PAUSE_MS);
    answers.push(await read(exporter.url + path));
  }
  const { stallMs } = await exporter.probe();
  const longest = (of: (answer: Answer) => number) => Math.max(...answers.map(of));
  return {
    "first byte": longest(({ firstByteMs }) => firstByteMs),
    whole: longest(({ wholeMs }) => wholeMs),
    size: longest(({ bytes }) => bytes) / 1000,
    stall: stallMs,
  };
}

interface Answer {
  readonly firstByteMs: number;
  readonly wholeMs: number;
  readonly bytes: number;
}

function read(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = get(url, { agent: false }, (response) => {
      const firstByteMs = performance.now() - startedAt;
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("end", () => {
        if (response.statusCode === 200)
          resolve({ firstByteMs, wholeMs: performance.now() - startedAt, bytes });
        else reject(new Error(`Cannot read ${url}: ${response.statusCode}`));
      });
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}
