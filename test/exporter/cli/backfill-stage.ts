import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { BackfillRequest } from "../../../exporter/backfill/plan.ts";
import { backfill } from "../../../exporter/cli/backfill/backfill.ts";
import type { ConfigFileInput } from "../../../exporter/config/schema.ts";
import type { Gateway, GatewayOptions } from "../../gateway/gateway.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { createFastClock } from "../../support/fast-time.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { createTerminalDouble } from "./terminal-double.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

export const NOON = Date.UTC(2026, 10, 18, 12);
export const TODAY = Date.UTC(2026, 10, 18);
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export interface BackfillStage {
  readonly options?: GatewayOptions;
  readonly prepare?: (gateway: Gateway) => void;
  readonly content?: Partial<ConfigFileInput>;
}

/**
 * A gateway with two configured keys; `write` backfills into the folder, `text` reads what a day has,
 * `configure` changes the configuration.
 */
export async function setUp({ options, prepare, content }: BackfillStage = {}) {
  // Time advances quickly, because requests are a second apart; for the simulated gateway it stays noon.
  const clock = { ...createFastClock({ speed: 2000, realMs: Date.now(), shownMs: NOON }), now: () => NOON };
  const gateway = await startSimulatedGateway({ now: () => NOON, startAt: NOON, ...options });
  if (options?.keys === undefined)
    for (const name of ["billing", "search"]) gateway.addKey({ name, createdAt: TODAY - 400 * DAY });
  gateway.switches.analyticsRequestsPerMinute = null;
  prepare?.(gateway);
  const files = writeExporterFiles({
    ...gateway,
    content: { gateway: { base_url: gateway.url, deadline: "1h", requests_per_minute: 0 }, ...content },
  });
  const folder = temporaryFolder();
  onTestFinished(() => files.remove());
  const write = async (request: Partial<BackfillRequest> = {}, isDryRun = false, url?: string) => {
    const { terminal, printed } = createTerminalDouble(files.environment);
    const order = { request: { ...REQUEST, ...request }, output: folder, url, isDryRun };
    const code = await backfill(order, files, { ...terminal, clock });
    return { code, ...printed };
  };
  const configure = (change: Partial<ConfigFileInput>) => files.write(change);
  const text = (day: string) => readFileSync(join(folder, `${day}.om`), "utf8");
  return { gateway, write, folder, text, configure };
}

/** 4 credits yesterday at 5:30, 1.5 today at 10:15, 10 on the first of the month and 0.25 in October. */
export function spendSome(gateway: Gateway): void {
  const spend = (key: string, micros: number, at: number, app = "Desk") =>
    gateway.spend({ key, model: "acme/one", app, micros, at, force: true, promptTokens: 10 });
  spend("billing", 250_000, TODAY - 20 * DAY);
  spend("billing", 10_000_000, TODAY - 17 * DAY);
  spend("billing", 4_000_000, TODAY - DAY + 5.5 * HOUR);
  spend("billing", 1_500_000, TODAY + 10.25 * HOUR);
  spend("search", 2_000_000, TODAY + 10.25 * HOUR, "Web");
}

const REQUEST: BackfillRequest = {
  days: 3,
  untilMs: undefined,
  stepMs: 6 * HOUR,
  format: "openmetrics",
  job: "aigateway-exporter",
  instance: "exporter:9853",
  gateway: "",
};
