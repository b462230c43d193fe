import { onTestFinished } from "vitest";

import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { startLocalExporter } from "../support/local-exporter.ts";
import { createRecordingLog, type LogLine } from "../support/log.ts";
import { differences, seriesLike, type SeriesMap } from "../support/series.ts";
import { createSteeredClock, type SteeredClock } from "../support/steered-clock.ts";
import type { FaultCase } from "./fault-case.ts";
import { type FaultyGateway, MANAGEMENT_TOKEN, startFaultyGateway, TOKENS } from "./faulty-gateway.ts";
import { keySeries, keySeriesName, querySeries, querySeriesName, START } from "./right-answers.ts";

/** An exporter that polls a gateway every minute: two keys, and the analytics. All is well until the test says otherwise. */
export interface FaultStage {
  readonly gateway: FaultyGateway;
  readonly clock: SteeredClock["clock"];
  /** Lets the time pass. */
  runTo(epochMs: number): Promise<void>;
  /** What `/metrics` shows, once these are the values there; else what it shows after a few seconds more. */
  seriesWith(wanted: Values): Promise<SeriesMap>;
  series(): Promise<SeriesMap>;
  page(): Promise<string>;
  /** What was logged of a target, but for what is the same as at the poll before. */
  logged(target: string): readonly LogLine[];
}

/** The values that are to be shown of each, with whether the last poll succeeded. */
export interface Values {
  readonly faultyKey: SeriesMap;
  readonly faultyQuery: SeriesMap;
  /** Of the key and the queries that no fault hits; undefined: they have none. */
  readonly healthyRevision: number | undefined;
  readonly healthyUp: boolean;
}

export async function startFaultStage({
  timeout,
  wholeGateway,
}: Pick<FaultCase, "timeout" | "wholeGateway">): Promise<FaultStage> {
  const steered = createSteeredClock(START);
  const { clock } = steered;
  const gateway = await startFaultyGateway(() => clock.now(), wholeGateway?.certificate);
  onTestFinished(() => gateway.stop());
  const { log, lines } = createRecordingLog();
  const exporter = await startLocalExporter(filesFor(gateway, timeout), clock, log);
  onTestFinished(() => exporter.stop());
  return {
    gateway,
    clock,
    runTo: (epochMs) => steered.run(epochMs),
    seriesWith: (wanted) => {
      const all = allValues(wanted);
      return exporter.seriesWhen(steered, (series) => differences(valuesIn(series), all).length === 0, 6);
    },
    series: () => exporter.series(),
    page: async () => (await fetch(exporter.url)).text(),
    logged: (target) =>
      lines.filter(
        ({ fields, level }) => level !== "debug" && "target" in fields && fields.target === target,
      ),
  };
}

/** The key's own label is shown, to see what becomes of it. A time-out is in real time. */
function filesFor({ url }: FaultyGateway, timeout: string | undefined): ExporterFiles {
  const patience = timeout === undefined ? {} : { timeout, deadline: "3s" };
  return writeExporterFiles({
    gatewayUrl: url,
    tokens: TOKENS,
    managementToken: MANAGEMENT_TOKEN,
    content: {
      gateway: { base_url: url, requests_per_minute: 0, ...patience },
      keys: [...TOKENS.keys()].map((name, index) => ({
        name,
        api_key_env: `KEY_${index}`,
        show_label: true,
      })),
      schedule: { keys: "60s", analytics: "60s" },
    },
  });
}

/** What differs from these values. */
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

/** Last month is asked for once an hour; what is known of a target without an answer is no value. */
function valuesIn(series: SeriesMap): SeriesMap {
  const values = seriesLike(series, /^aigateway_(key|usage|analytics)_/);
  const others = seriesLike(
    values,
    /last_month|^aigateway_(key_owner_info|\w+_(unauthorized|last_success_timestamp_seconds))\{/,
  );
  const times = seriesLike(values, /^aigateway_analytics_(window_end|data)_timestamp_seconds\{/);
  return new Map([...values].filter(([name]) => !others.has(name) && !times.has(name)));
}
