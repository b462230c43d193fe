import { join } from "node:path";

import { z } from "zod";

import { startChild } from "./child.ts";
import type { FastTime } from "./fast-time.ts";

/** A simulated gateway in its own process, with an empty world. The names are those of test/gateway/README.md. */
export interface GatewayProcess {
  /** `http://127.0.0.1:8402/api/v1`. */
  readonly url: string;
  /** Adds a key and returns its token. */
  addKey(key: NewKey): Promise<string>;
  /** Posts what a caller spends; returns 402 when the key has nothing left. */
  spend(spend: Spend): Promise<number>;
  /** The gateway's clock, for other processes to follow. */
  time(): Promise<FastTime>;
  stop(): Promise<void>;
}

export interface NewKey {
  readonly name: string;
  readonly limitMicros: number;
  readonly limitReset: "daily" | "weekly" | "monthly" | null;
}

export interface Spend {
  readonly key: string;
  readonly model: string;
  readonly micros: number;
}

export interface GatewayProcessOptions {
  /** ISO 8601 UTC. */
  readonly startAt: string;
  readonly speed: number;
}

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { startAt, speed } = options;
  const clock = ["--start-at", startAt, "--speed", String(speed)];
  const child = await startChild({
    command: process.execPath,
    arguments: [PROGRAM, "--port", "0", "--keys", "0", "--history-days", "0", ...clock],
    address: /http:\/\/(127\.0\.0\.1:\d+)/,
    healthPath: "/_sim/clock",
  });
  const control = <T>(shape: z.ZodType<T>, path: string, body?: object): Promise<T> =>
    request(`${child.url}/_sim/${path}`, shape, body);
  return {
    url: `${child.url}/api/v1`,
    addKey: async (key) => (await control(Added, "keys", key)).token,
    spend: async (spend) => (await control(Spent, "spend", spend)).status,
    time: async () => {
      const before = Date.now();
      const { now } = await control(Clock, "clock");
      return { speed, realMs: Math.round((before + Date.now()) / 2), shownMs: now };
    },
    stop: () => child.stop(),
  };
}

const PROGRAM = join(import.meta.dirname, "../gateway/main.ts");

const Added = z.object({ token: z.string() });
const Spent = z.object({ status: z.number() });
const Clock = z.object({ now: z.number() });

async function request<T>(url: string, shape: z.ZodType<T>, body?: object): Promise<T> {
  const response = await fetch(url, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot control "${url}": ${response.status}: ${text}`);
  return shape.parse(JSON.parse(text));
}
