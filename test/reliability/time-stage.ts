import { onTestFinished } from "vitest";

import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

/** A key for each reset of a limit; `daily` alone spends. */
export const RESETS = ["daily", "weekly", "monthly"] as const;
export const LIMIT = 90;
/** Credits spent before the exporter starts. */
export const SPENT = 7;

/** The exporter's wall clock can be stepped; the gateway's continues. Both begin at the same time. */
export async function startTimeStage(
  start: number,
  schedule: NonNullable<ConfigFileInput["schedule"]> = { keys: "60s", analytics: "60s" },
): Promise<TestApp> {
  const app = await startTestApp({
    start,
    gateway: (clock) => ({ now: () => start + Math.floor(clock.monotonic()) }),
    prepare: (gateway) => {
      for (const name of RESETS) gateway.addKey({ name, limitMicros: LIMIT * 1e6, limitReset: name });
      spend(gateway, SPENT, start - 1000);
    },
    analytics: true,
    content: () => ({
      schedule,
      budgets: (["day", "week", "month"] as const).map((window) => ({
        name: window,
        limit: 100,
        window,
        keys: "all",
      })),
    }),
  });
  onTestFinished(() => app.stop());
  await app.clock.answered();
  return app;
}

export function spend(gateway: Gateway, credits: number, at: number): void {
  gateway.spend({ key: "daily", model: "acme/one", app: "Chat", micros: credits * 1e6, requests: 1, at });
}
