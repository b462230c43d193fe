import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { backfill } from "../../exporter/cli/backfill/backfill.ts";
import type { BackfillRequest } from "../../exporter/backfill/plan.ts";
import { createTerminalDouble } from "../exporter/cli/terminal-double.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { exporterHistory, type ScrapedLines } from "../support/past/exporter-history.ts";
import { readConfig, writeExporterFiles } from "../support/exporter-files.ts";
import { createFastClock } from "../support/fast-time.ts";
import type { PrometheusApi } from "../support/prometheus-api.ts";
import { until } from "../support/until.ts";

export const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Yesterday evening, this morning and this noon of a simulated day, over one midnight. */
const TODAY = Date.UTC(2026, 10, 18);
export const [BEGIN, SEAM, END] = [TODAY - 3 * HOUR, TODAY + 5 * HOUR, TODAY + 8 * HOUR];
export const INSTANCE = "exporter:9853";

/** The past of the job `live`, written as files, and what was scraped since. */
export interface BackfillStage {
  readonly folder: string;
  /** The files of the backfill. */
  readonly past: string;
  readonly stdout: string;
  /** Scrapes of a twin that was live all along, and of the job `live` since the seam. */
  readonly scrapes: readonly ScrapedLines[];
  remove(): void;
}

export const REQUEST: BackfillRequest = {
  days: 2,
  untilMs: SEAM,
  stepMs: HOUR / 12,
  format: "openmetrics",
  job: "live",
  instance: INSTANCE,
  gateway: "",
};

export async function startBackfillStage(request: BackfillRequest): Promise<BackfillStage> {
  const folder = mkdtempSync(join(tmpdir(), "backfill-e2e-"));
  const past = join(folder, "past");
  const gateway = createGateway({ now: () => BEGIN, startAt: BEGIN });
  for (const name of ["billing", "search"]) gateway.addKey({ name, createdAt: TODAY - 400 * DAY });
  await gateway.start();
  spendHourly(gateway);
  const files = writeExporterFiles({
    ...gateway,
    content: {
      gateway: { base_url: gateway.url, deadline: "10m", requests_per_minute: 0 },
      schedule: { keys: "20m", analytics: "20m" },
    },
  });
  try {
    const config = await readConfig(files);
    const times = Array.from({ length: (END - BEGIN) / HOUR }, (_, index) => BEGIN + (index + 1) * HOUR);
    const labels = { job: "twin", instance: INSTANCE };
    const scrapes: ScrapedLines[] = [];
    const history = exporterHistory({ gateway, config, startAt: BEGIN, times, labels });
    for await (const scrape of history) scrapes.push(withLiveJob(scrape));
    const { terminal, printed } = createTerminalDouble(files.environment);
    const clock = { ...createFastClock({ speed: 5000, realMs: Date.now(), shownMs: END }), now: () => END };
    const code = await backfill({ request, output: past, url: undefined, isDryRun: false }, files, {
      ...terminal,
      clock,
    });
    if (code !== 0) throw new Error(printed.stderr);
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    return { folder, past, stdout: printed.stdout, scrapes, remove };
  } finally {
    files.remove();
    await gateway.stop();
  }
}

export async function* asAsync<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

type Store = Pick<PrometheusApi, "query" | "queryRange">;

/** At every hour, over the seam, the imported and live series have the values of the twin. */
export async function expectContinuity(store: Store): Promise<void> {
  for (const expression of EXPRESSIONS) {
    const [live, twin] = await until(
      expression,
      () => bothOf(store, expression),
      ([one, other]) => JSON.stringify(one) === JSON.stringify(other),
      { timeoutMs: 30_000 },
    ).catch(() => bothOf(store, expression));
    expect({ expression, points: live }).toEqual({ expression, points: twin });
    expect(Object.keys(twin).length).toBeGreaterThan(0);
  }
}

/** Runs the printed script with a tool on the path. */
export async function runImport(
  { past }: BackfillStage,
  tool: string,
  targets: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const path = `${join(tool, "..")}${delimiter}${process.env["PATH"]}`;
  const env = { ...process.env, PATH: path, ...settings };
  await promisify(execFile)("sh", [join(past, "import.sh"), ...targets], { env });
}

/** The answers for both jobs at every hour at which the twin was scraped, over the seam. */
async function bothOf(store: Store, expression: string) {
  const series = await store.queryRange(expression, { start: BEGIN + HOUR, end: END, stepMs: HOUR });
  const pointsOf = (wanted: string) =>
    Object.fromEntries(
      series
        .filter(({ labels }) => labels["job"] === wanted)
        .map(({ labels: { job: _job, ...labels }, points }) => [
          JSON.stringify(labels),
          // At midnight the twin has withdrawn its values.
          points.filter(({ at }) => at !== TODAY).map(({ at, value }) => [at, Number(value.toFixed(6))]),
        ]),
    );
  return [pointsOf("live"), pointsOf("twin")] as const;
}

/** Whatever the twin knows of the past. */
const EXPRESSIONS = [
  "sum by (job, key) (aigateway_key_usage_day_credits)",
  "sum by (job, key) (aigateway_key_usage_week_credits)",
  "sum by (job, key) (aigateway_key_usage_month_credits)",
  "sum by (job, key) (aigateway_key_usage_credits)",
  "sum by (job, key) (aigateway_key_byok_usage_credits)",
  "aigateway_key_owner_info",
  "sum by (job, model, app) (aigateway_usage_day_credits)",
  "sum by (job) (aigateway_usage_day_requests)",
  "sum by (job, model, app) (aigateway_usage_last_day_credits)",
  "sum by (job, model, app) (aigateway_usage_month_tokens)",
  "sum by (job) (aigateway_usage_last_month_credits)",
];

/** Each hour has spend in its first quarter, so that polls and hourly buckets agree at every full hour. */
function spendHourly(gateway: Gateway): void {
  for (let at = TODAY - 40 * DAY; at < END; at += at < BEGIN - DAY ? DAY : HOUR) {
    const hour = Math.round(at / HOUR) % 24;
    for (const key of ["billing", "search"]) {
      const spend = { key, model: `acme/${hour % 2 ? "one" : "two"}`, app: key === "search" ? "Web" : null };
      const amounts = { micros: 1_000_000 + hour * 1000, byokMicros: 500_000, promptTokens: 10 * hour };
      gateway.spend({ ...spend, ...amounts, requests: 3, at: at + HOUR / 12, force: true });
    }
  }
}

/** Adds the same scrape as another job from the seam on. */
function withLiveJob({ at, lines }: ScrapedLines): ScrapedLines {
  const live = at < SEAM ? [] : lines.map((line) => line.replace('job="twin"', 'job="live"'));
  return { at, lines: [...lines, ...live] };
}
