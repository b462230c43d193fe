import { onTestFinished } from "vitest";

import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { createManualClock, type ManualClock } from "../support/clock.ts";
import type { LogLine } from "../support/log.ts";
import { differences, seriesLike, type SeriesMap } from "../support/series.ts";
import { startAppFrom } from "../support/test-app.ts";
import type { FaultCase } from "./fault-case.ts";
import { type FaultyGateway, MANAGEMENT_TOKEN, startFaultyGateway, TOKENS } from "./faulty-gateway.ts";
import { keySeries, keySeriesName, querySeries, querySeriesName, START } from "./right-answers.ts";

/** An exporter that polls two keys and the analytics every minute. The test decides when something fails. */
export interface FaultStage {
  readonly gateway: FaultyGateway;
  readonly clock: ManualClock;
  /** Lets the time pass. */
  runTo(epochMs: number): Promise<void>;
  /** The series, once they have these values; otherwise the series a few seconds later. */
  seriesWith(wanted: Values): Promise<SeriesMap>;
  series(): Promise<SeriesMap>;
  page(): Promise<string>;
  /** The log lines of a target, without those of level debug. */
  logged(target: string): readonly LogLine[];
}

/** The required values, with whether the last poll succeeded. */
export interface Values {
  readonly faultyKey: SeriesMap;
  readonly faultyQuery: SeriesMap;
  /** The revision that the targets without a fault show; undefined: they show no values. */
  readonly healthyRevision: number | undefined;
  readonly healthyUp: boolean;
}

export async function startFaultStage({
  isEndless,
  wholeGateway,
}: Pick<FaultCase, "isEndless" | "wholeGateway">): Promise<FaultStage> {
  const clock = createManualClock(START);
  const gateway = await startFaultyGateway(() => clock.now(), wholeGateway?.certificate);
  onTestFinished(() => gateway.stop());
  if (isEndless) gateway.onFault = passTimeouts();
  const files = filesFor(gateway);
  onTestFinished(() => files.remove());
  const app = await startAppFrom(files, clock);
  onTestFinished(() => app.stop());
  return {
    gateway,
    clock,
    runTo: (epochMs) => clock.runTo(epochMs),
    seriesWith: (wanted) => {
      const all = allValues(wanted);
      const isRight = (series: SeriesMap) => differences(valuesIn(series), all).length === 0;
      // The story shows the difference.
      return app.seriesWhen(isRight, { seconds: 6 }).catch(() => app.series());
    },
    series: () => app.series(),
    page: async () => (await app.page()) + (await app.page("/exporter")),
    logged: (target) =>
      app.lines.filter(
        ({ fields, level }) => level !== "debug" && "target" in fields && fields.target === target,
      ),
  };
}

/**
 * Timeouts run in real time, which need not pass: the result is called for each request that has no answer, and ends it
 * once every other request has its answer.
 */
function passTimeouts(): () => void {
  const original = { setTimeout, clearTimeout };
  const timeouts = new Map<unknown, () => void>();
  let endless = 0;
  const passLater = (): void => {
    if (endless === 0) return;
    if (timeouts.size > endless) return void setImmediate(passLater);
    endless = 0;
    for (const run of timeouts.values()) run();
  };
  Object.assign(globalThis, {
    setTimeout: (...values: Parameters<typeof setTimeout>) => {
      const timer = original.setTimeout(...values);
      if (values[1] === TIMEOUT_MS) timeouts.set(timer, values[0]);
      return timer;
    },
    clearTimeout: (timer: NodeJS.Timeout | undefined) => {
      timeouts.delete(timer);
      original.clearTimeout(timer);
    },
  });
  onTestFinished(() => {
    endless = 0;
    Object.assign(globalThis, original);
  });
  return () => {
    endless++;
    passLater();
  };
}

/** Unlike any other. */
const TIMEOUT_MS = 9123;

/** The service's label is shown, so that it is tested as well. */
function filesFor({ url }: FaultyGateway): ExporterFiles {
  return writeExporterFiles({
    url,
    tokens: TOKENS,
    managementToken: MANAGEMENT_TOKEN,
    content: {
      gateway: { base_url: url, requests_per_minute: 0, timeout: `${TIMEOUT_MS}ms` },
      keys: [...TOKENS.keys()].map((name, index) => ({
        name,
        api_key_env: `KEY_${index}`,
        show_label: true,
      })),
      analytics: { management_key_env: "MANAGEMENT_KEY", queries: [] },
      schedule: { keys: "60s", analytics: "60s" },
    },
  });
}

/** The differences from these values. */
export function wrongValues(series: SeriesMap, wanted: Values): readonly string[] {
  return differences(valuesIn(series), allValues(wanted));
}

function allValues({ faultyKey, faultyQuery, healthyRevision, healthyUp }: Values): SeriesMap {
  const states = [
    keySeriesName("up", "healthy"),
    ...HEALTHY_QUERIES.map((query) => querySeriesName("up", query)),
  ];
  const healthy =
    healthyRevision === undefined
      ? []
      : [
          ...keySeries("healthy", healthyRevision),
          ...HEALTHY_QUERIES.flatMap((query) => [...querySeries(query, healthyRevision)]),
        ];
  const ups = states.map((name): [string, number] => [name, Number(healthyUp)]);
  return new Map([...faultyKey, ...faultyQuery, ...healthy, ...ups]);
}

const HEALTHY_QUERIES = ["last_day", "month"] as const;

/** Without last month, which is polled once an hour, without forecasts, and without series that need no answer. */
function valuesIn(series: SeriesMap): SeriesMap {
  const values = seriesLike(series, /^aigateway_(key|usage|analytics)_/);
  const others = seriesLike(
    values,
    /last_month|^aigateway_key_(outlook|burn|exhaustion|spendable)_?|^aigateway_(key_owner_info|\w+_(unauthorized|last_success_timestamp_seconds))\{/,
  );
  const times = seriesLike(values, /^aigateway_analytics_(window_end|data)_timestamp_seconds\{/);
  return new Map([...values].filter(([name]) => !others.has(name) && !times.has(name)));
}
