import { onTestFinished } from "vitest";

import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { LogLine } from "../gateway/request-log.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

/** Gateway and exporter with one clock, seen from the gateway: only the times of requests matter. */
export interface PoliteStage {
  readonly app: TestApp;
  readonly gateway: Gateway;
  readonly clock: TestApp["clock"];
  readonly start: number;
  /** Lets time pass in steps as short as the distance between permits, so that the gateway logs exact times. */
  readonly run: (ms: number) => Promise<void>;
  /** The times of requests for one key, or for all, milliseconds after the start. */
  readonly asked: (key?: string) => readonly number[];
}

export interface PoliteOptions {
  readonly keys: number;
  readonly start?: string;
  readonly gateway?: Partial<ConfigFileInput["gateway"]>;
  readonly content?: Partial<ConfigFileInput>;
  readonly analytics?: boolean;
  readonly stepMs?: number;
  /** Sets up faults before the exporter starts. */
  readonly prepare?: (gateway: Gateway) => void;
  /** The gateway answers nothing at first, so that time must pass without its answers. */
  readonly hangs?: boolean;
}

export async function startPoliteStage(options: PoliteOptions): Promise<PoliteStage> {
  const { stepMs = 1000, analytics = false } = options;
  const start = Date.parse(options.start ?? "2026-11-18T12:00:00Z");
  const app = await startTestApp({
    start,
    prepare: (gateway) => {
      for (let key = 0; key < options.keys; key++) gateway.addKey({ name: nameOf(key), limitReset: "daily" });
      options.prepare?.(gateway);
    },
    analytics,
    content: ({ url }) => ({
      gateway: { base_url: url, requests_per_minute: 0, ...options.gateway },
      schedule: { keys: "60s", analytics: "60s" },
      ...options.content,
    }),
  });
  onTestFinished(() => app.stop());
  const { gateway, clock } = app;
  // The first polls are sent before any time passes.
  if (!options.hangs) await clock.answered();
  return {
    app,
    gateway,
    clock,
    start,
    run: (ms) => clock.runTo(clock.now() + ms, stepMs),
    asked: (key) => gateway.log.of("key", key).map((line) => line.at - start),
  };
}

export function nameOf(key: number): string {
  return `key-${String(key).padStart(3, "0")}`;
}

/** The most times within any span of that length. */
export function mostWithin(times: readonly number[], spanMs: number): number {
  let first = 0;
  let most = 0;
  for (const [last, at] of times.entries()) {
    while ((times[first] ?? at) <= at - spanMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

export function timesOf(lines: readonly LogLine[]): readonly number[] {
  return lines.map(({ at }) => at);
}
