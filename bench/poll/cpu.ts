import { z } from "zod";
import { atLeast, ratio, type Benchmark, type Contender } from "../benchmark.ts";
import { type Child, startChild } from "../child.ts";
import { isInstalled } from "../peers.ts";
import { startUpstream } from "./polled-exporter.ts";

const CONNECTIONS = 64;
const REQUESTS = 3000;

interface Client {
  readonly name: string;
  readonly module: string;
  /** A library of `bench/package.json`. */
  readonly library?: string;
}

const CLIENTS: readonly Client[] = [
  { name: "exporter", module: "./clients/exporter.ts" },
  { name: "fetch", module: "./clients/fetch.mjs" },
  { name: "axios", module: "./clients/axios.mjs", library: "axios" },
];

const Asked = z.object({ cpu: z.number(), keys: z.number() });

/** CPU time of one key request, for each client. */
export const cpuBenchmark: Benchmark = {
  name: "poll/cpu",
  title:
    "CPU time of one answered `GET /key` with 64 concurrent requests and a gateway that answers at once. The exporter's client does more than the others: " +
    "rate limiting, secrets, a deadline with retries, removal of the credential from the answer, and validation of the answer.",
  quantities: [
    { name: "cpu", unit: "µs" },
    { name: "keys", unit: "1/s" },
  ],
  goals: [
    atLeast("cpu", ratio("axios", "exporter"), 3, 4),
    atLeast("cpu", ratio("fetch", "exporter"), 2.5, 3),
  ],
  rounds: 5,
  open: async () => {
    const upstream = await startUpstream(0);
    const children: Child[] = [];
    const contenders: Contender[] = [];
    for (const { name, module, library } of CLIENTS) {
      if (library !== undefined && !isInstalled(library)) {
        contenders.push({ name, skipped: "is not installed (bench/package.json)" });
        continue;
      }
      const child = await startChild(new URL("client-program.mjs", import.meta.url), {
        parameters: [module, upstream.url, String(CONNECTIONS)],
      });
      children.push(child);
      contenders.push({ name, round: async () => Asked.parse(await child.ask({ requests: REQUESTS })) });
    }
    return {
      contenders,
      close: async () => {
        await Promise.all(children.map((child) => child.close()));
        await upstream.close();
      },
    };
  },
};
