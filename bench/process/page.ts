import { setTimeout as sleep } from "node:timers/promises";
import { atMost, value, type Benchmark, type Readings, type Runner } from "../benchmark.ts";
import { until } from "../../test/support/until.ts";
import { timedGet } from "../timed-get.ts";
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
    await until(
      "readiness",
      async () => (await fetch(`${exporter.url}/-/ready`)).ok,
      (isReady) => isReady,
      { pauseMs: 500 },
    );
    return {
      contenders: [...PAGES].map(([name, path]): Runner => ({ name, round: () => readPage(exporter, path) })),
      close: async () => {
        await exporter.close();
        await upstream.close();
      },
    };
  },
};

async function readPage(exporter: ProbedExporter, path: string): Promise<Readings> {
  await exporter.probe();
  const answers: Readings[] = [];
  for (let request = 0; request < REQUESTS; request++) {
    await sleep(PAUSE_MS);
    answers.push(await read(exporter.url + path));
  }
  const { stallMs } = await exporter.probe();
  const longest = (quantity: string) => Math.max(...answers.map((answer) => answer[quantity] ?? NaN));
  return {
    "first byte": longest("first byte"),
    whole: longest("whole"),
    size: longest("size"),
    stall: stallMs,
  };
}

async function read(url: string): Promise<Readings> {
  const startedAt = performance.now();
  const { body, firstByteAt, endedAt } = await timedGet(url);
  return { "first byte": firstByteAt - startedAt, whole: endedAt - startedAt, size: body.length / 1000 };
}
