import { setTimeout as delay } from "node:timers/promises";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import type { HeldAlert } from "../support/alertmanager.ts";
import { type FastTime, realAt, shownAt } from "../support/fast-time.ts";
import type { Series } from "../support/prometheus-api.ts";
import { until } from "../support/until.ts";
import type { Notice } from "../support/webhook.ts";
import type { AlertsStage } from "./alerts-stage.ts";
import type { GatewayProcess } from "../support/gateway-process.ts";

/** The observations of an evening, a midnight and the end of the exporter. Times are those of the machine's clock. */
export interface AlertsStory {
  readonly notices: readonly Notice[];
  /** When a key was first refused because it had no credits. */
  readonly refusedAt: ReadonlyMap<string, number>;
  /** The alerts that Alertmanager suppressed once the key was exhausted. */
  readonly suppressed: readonly HeldAlert[];
  /** The texts of the page once the key was exhausted. */
  readonly pageWhenExhausted: Readonly<Record<string, string>>;
  /** The remaining credits of each key in the rules, some minutes after midnight. */
  readonly remainingAfterReset: ReadonlyMap<string, number>;
  readonly midnightAt: number;
  readonly exporterEndedAt: number;
  readonly endedAt: number;
  /** Alerts that fired in Prometheus, notified or not. */
  readonly firing: readonly Series[];
}

export interface AlertsPlot {
  /** The key that runs away and is reset at midnight. */
  readonly runaway: string;
  readonly spendings: readonly Spending[];
  /** Epoch milliseconds of the gateway's clock. */
  readonly midnight: number;
}

/** Lets the evening pass. Every wait is bounded, and its error names the missing event. */
export async function tellAlertsStory(stage: AlertsStage, plot: AlertsPlot): Promise<AlertsStory> {
  const callers = startCallers(stage.gateway, stage.time, plot.spendings);
  try {
    return await tell(stage, plot, callers.refusedAt);
  } finally {
    await callers.stop();
  }
}

async function tell(
  stage: AlertsStage,
  { runaway, midnight }: AlertsPlot,
  refusedAt: ReadonlyMap<string, number>,
): Promise<AlertsStory> {
  const { time, prometheus, webhook, example } = stage;
  const startedAt = Date.now();

  const heard = (
    alertname: string,
    key: string | undefined,
    status: Notice["status"],
    since = 0,
  ): Promise<unknown> =>
    until(
      `the notice that ${alertname} of ${key} is ${status}`,
      () =>
        webhook.notices
          .filter(({ receivedAt }) => receivedAt >= since)
          .map((notice) => ({ status: notice.status, labels: notice.labels })),
      (all) =>
        all.some(
          ({ labels, ...notice }) =>
            notice.status === status && labels["alertname"] === alertname && labels["key"] === key,
        ),
      { timeoutMs: startedAt + LONGEST_MS - Date.now() },
    );

  await heard(IMMINENT, runaway, "firing");
  const page = await until(
    `the page of ${runaway} that its credits are used up`,
    async () => (await prometheus.alerts()).find(({ labels }) => isPageOf(labels, runaway))?.annotations,
    (annotations) => / of .* credits left, resets/.test(annotations?.["summary"] ?? ""),
    { timeoutMs: startedAt + LONGEST_MS - Date.now() },
  );
  await delay(example.groupIntervalMs);
  const suppressed = await held(stage, runaway);
  await heard(IMMINENT, runaway, "resolved");
  // An event that must not happen gets this much time, here and below.
  await delay(Math.max(0, realAt(time, midnight + AFTER_RESET_MS) - Date.now()));
  const remaining = await prometheus.query(keyFamilies.remaining.name);

  await stage.exporter.stop();
  const exporterEndedAt = Date.now();
  await heard(DOWN, undefined, "firing", exporterEndedAt);
  await delay(AFTER_DOWN_MS / time.speed + example.groupIntervalMs);
  const endedAt = Date.now();
  return {
    // On a busy machine the first scrape may take longer than the exporter may be down.
    notices: webhook.notices.filter(
      ({ labels, startsAt }) => labels["alertname"] !== DOWN || startsAt > exporterEndedAt,
    ),
    refusedAt: new Map([...refusedAt].map(([key, shown]) => [key, realAt(time, shown)])),
    suppressed,
    pageWhenExhausted: page ?? {},
    remainingAfterReset: new Map(remaining.map(({ labels, value }) => [labels["key"] ?? "", value])),
    midnightAt: realAt(time, midnight),
    exporterEndedAt,
    endedAt,
    firing: await prometheus.queryRange('ALERTS{alertstate="firing"}', {
      start: startedAt,
      end: endedAt,
      stepMs: STEP_MS,
    }),
  };
}

export const IMMINENT = "AIGatewayKeyExhaustionImminent";
export const DOWN = "AIGatewayExporterDown";

const MINUTE = 60_000;

/** Shorter than the interval of evaluations. */
const STEP_MS = 100;

/** The whole story takes 140 s on an idle machine. */
const LONGEST_MS = 210_000;

/** Longer than settling (design 5: 90 s) plus a poll, a scrape and a notification. */
const AFTER_RESET_MS = 15 * MINUTE;

/** It fires ten minutes after the exporter's end. The values of keys are stale after 20 minutes and forgotten after 25. */
const AFTER_DOWN_MS = 20 * MINUTE;

function isPageOf(labels: HeldAlert["labels"], key: string): boolean {
  return labels["alertname"] === IMMINENT && labels["key"] === key;
}

async function held(stage: AlertsStage, key: string): Promise<readonly HeldAlert[]> {
  const alerts = await stage.alertmanager.alerts();
  return alerts.filter(({ labels, status }) => labels["key"] === key && status.state === "suppressed");
}

/** What a key's callers spend between two times, at an even rate. */
interface Spending {
  readonly key: string;
  readonly creditsPerHour: number;
  /** Epoch milliseconds, as the gateway's clock shows them. */
  readonly from: number;
  readonly to: number;
}

interface Callers {
  /** When the gateway first refused a key because nothing was left, epoch milliseconds of its clock. */
  readonly refusedAt: ReadonlyMap<string, number>;
  /** Rejects if a call failed. */
  stop(): Promise<void>;
}

/** Calls the gateway until stopped. However late a call is, it spends the amount for the time since the last one. */
function startCallers(gateway: GatewayProcess, time: FastTime, spendings: readonly Spending[]): Callers {
  const refusedAt = new Map<string, number>();
  const aborter = new AbortController();
  const running = call().catch((error: unknown) => {
    if (!aborter.signal.aborted) throw error;
  });

  async function call(): Promise<void> {
    for (let last = shownAt(time, Date.now()); ;) {
      await delay(PAUSE_MS, undefined, { signal: aborter.signal });
      const now = shownAt(time, Date.now());
      for (const { key, creditsPerHour, from, to } of spendings) {
        const spentMs = Math.min(now, to) - Math.max(last, from);
        if (spentMs <= 0) continue;
        const micros = Math.round((creditsPerHour * 1e6 * spentMs) / 3_600_000);
        const status = await gateway.spend({ key, model: "acme/one", micros });
        if (status === 402 && !refusedAt.has(key)) refusedAt.set(key, now);
      }
      last = now;
    }
  }

  return {
    refusedAt,
    stop: async () => {
      aborter.abort();
      await running;
    },
  };
}

const PAUSE_MS = 100;
