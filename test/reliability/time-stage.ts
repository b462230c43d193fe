import { onTestFinished } from "vitest";

import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { type LocalExporter, startLocalExporter } from "../support/local-exporter.ts";
import { silentLog } from "../support/log.ts";
import { createSteeredClock, type SteeredClock } from "../support/steered-clock.ts";

/** A key for each reset of a limit; `daily` alone spends. */
export const RESETS = ["daily", "weekly", "monthly"] as const;
export const LIMIT = 90;
/** Credits spent before the exporter starts. */
export const SPENT = 7;

export interface TimeStage {
  readonly gateway: Gateway;
  readonly exporter: LocalExporter;
  readonly steered: SteeredClock;
}

/** The exporter's wall clock can be stepped; the gateway's goes on. Both begin at the same time. */
export async function startTimeStage(
  start: number,
  schedule: NonNullable<ConfigFileInput["schedule"]> = { keys: "60s", analytics: "60s" },
): Promise<TimeStage> {
  const steered = createSteeredClock(start);
  const gateway = createGateway({ now: () => start + Math.floor(steered.clock.monotonic()), startAt: start });
  for (const name of RESETS) gateway.addKey({ name, limitMicros: LIMIT * 1e6, limitReset: name });
  await gateway.start();
  onTestFinished(() => gateway.stop());
  spend(gateway, SPENT, start - 1000);
  const budgets = (["day", "week", "month"] as const).map((window) => ({
    name: window,
    limit: 100,
    window,
    keys: "all" as const,
  }));
  const files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: gateway.tokens,
    managementToken: gateway.managementToken,
    content: { schedule, budgets },
  });
  const exporter = await startLocalExporter(files, steered.clock, silentLog);
  onTestFinished(() => exporter.stop());
  await steered.jump(start);
  return { gateway, exporter, steered };
}

export function spend(gateway: Gateway, credits: number, at: number): void {
  gateway.spend({ key: "daily", model: "acme/one", app: "Chat", micros: credits * 1e6, requests: 1, at });
}
