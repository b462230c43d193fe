import { collectors } from "../../collectors/index.ts";
import { type Config, requestLimits } from "../../config/config.ts";
import { partsOf } from "../../config/shards/part.ts";
import { type Endpoint, ENDPOINTS } from "../../gateway/port.ts";
import { formatDuration } from "../../time/duration.ts";
import { gapsMs } from "../../time/ticker.ts";

/** The requests of one round of every job, as a table for a terminal, with the rate of each endpoint below. */
export function requestTable(config: Config): string {
  const rows = requestRows(config);
  const cells = [
    ["job", "requests", "endpoint", "every", ""],
    ...rows.map(({ what, endpoint, everyMs, requests, note }) => [
      what,
      String(requests),
      endpoint,
      formatDuration(everyMs),
      note,
    ]),
  ];
  const lines = [...textTable(cells), ...rateLines(rows, config), ...shardLines(config)];
  return lines.map((line) => `  ${line}\n`).join("");
}

/** What each shard asks about its keys. Everything else is asked by shard 0. */
function shardLines(config: Config): readonly string[] {
  const parts = partsOf(config);
  if (parts.length === 1) return [];
  const cells = parts.map(({ keys, gateway, schedule }, ordinal) => [
    String(ordinal),
    String(keys.length),
    rounded((keys.length * 60_000) / gapsMs(schedule.keys).shortest),
    gateway.requestsPerMinute === 0 ? "unlimited" : String(gateway.requestsPerMinute),
  ]);
  return textTable([["shard", "keys", "key requests a minute", "of at most"], ...cells]);
}

/** How long the requests of one round take at the pace of the daemon, milliseconds. Probes are not part of it. */
export function roundMs(config: Config): number {
  const limits = requestLimits(config.gateway);
  const rows = requestRows({ ...config, probing: undefined });
  return Math.max(
    ...ENDPOINTS.map((endpoint) => {
      const own = rows.filter((row) => row.endpoint === endpoint);
      const requests = own.reduce((sum, row) => sum + row.requests, 0);
      return limits[endpoint] === 0 ? 0 : (requests * 60_000) / limits[endpoint];
    }),
  );
}

interface RequestRow {
  readonly what: string;
  readonly endpoint: Endpoint;
  readonly everyMs: number;
  readonly requests: number;
  /** When it needs more requests; empty: never. */
  readonly note: string;
}

function requestRows(config: Config): readonly RequestRow[] {
  const { schedule, keys, probing } = config;
  const collected = collectors.flatMap((collector): readonly RequestRow[] => {
    const everyMs = gapsMs(schedule[collector.schedule]).shortest;
    if (collector.name === "key") {
      const what = keys.length === 1 ? "1 key" : `${keys.length} keys`;
      return keys.length === 0 ? [] : [{ what, endpoint: "key", everyMs, requests: keys.length, note: "" }];
    }
    return collector.jobs(config).map(({ title, endpoint, requests, minIntervalMs }) => ({
      what: title,
      endpoint,
      everyMs: Math.max(everyMs, minIntervalMs),
      requests,
      note: collector.name === "discovery" ? MORE_PAGES : "",
    }));
  });
  const probes = (probing?.probes ?? []).map(({ name, schedule: each }) => ({
    what: `probe "${name}"`,
    endpoint: "transcription" as const,
    everyMs: gapsMs(each).shortest,
    requests: 1,
    note: "costs credits",
  }));
  return [...collected, ...probes];
}

const MORE_PAGES = "up to 100 keys, then one more for each 99";

function rateLines(rows: readonly RequestRow[], { gateway }: Config): readonly string[] {
  const limits = requestLimits(gateway);
  return ENDPOINTS.flatMap((endpoint) => {
    const own = rows.filter((row) => row.endpoint === endpoint);
    if (own.length === 0) return [];
    const perMinute = own.reduce((sum, { requests, everyMs }) => sum + (requests * 60_000) / everyMs, 0);
    const most = limits[endpoint] === 0 ? "without a limit" : `of at most ${limits[endpoint]}`;
    return [`${endpoint}: ${rounded(perMinute)} requests a minute ${most}`];
  });
}

function rounded(amount: number): string {
  return String(Number(amount.toPrecision(3)));
}

/** Rows of cells as lines with aligned columns, for a terminal. */
function textTable(rows: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  // The last column needs no width.
  const widths = Array.from({ length: count - 1 }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
