import { fetch } from "undici";
import { DISK, HONEST, HOSTILE, limitOf, LOGIN, PAIRS, revisionAt } from "./books.ts";
import { INTERVAL_S } from "./setting.ts";

/** The values of an exposition by series, as written. */
export type Values = ReadonlyMap<string, number>;

export function valuesOf(text: string): Values {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line): [string, number] => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

/** Asks for the metrics; undefined without an answer. */
export async function scrape(url: string): Promise<Values | undefined> {
  const authorization = `Basic ${Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString("base64")}`;
  try {
    const response = await fetch(`${url}/metrics`, {
      headers: { authorization, connection: "close" },
      signal: AbortSignal.timeout(5000),
    });
    return response.ok ? valuesOf(await response.text()) : undefined;
  } catch {
    return undefined;
  }
}

const RELOADED = "aigateway_exporter_config_last_reload_success_timestamp_seconds";

/** How old a value may be: its time to live, and the time of a request and of a rendering. */
const OLDEST_S = 3 * INTERVAL_S + 7;

/** What is wrong with the keys that nobody attacks. */
export function honestFaults(values: Values, nowMs: number): readonly string[] {
  return HONEST.flatMap((name) => keyFaults(values, name, nowMs, nowMs - OLDEST_S * 1000));
}

/** What is wrong some time after an attack has ended. */
export function faultsAfter(values: Values, nowMs: number, endedMs: number): readonly string[] {
  const keys = [...HONEST, ...HOSTILE, ...DISK].flatMap((name) => [
    ...differs(values, `aigateway_key_up{key="${name}"}`, 1),
    ...keyFaults(values, name, nowMs, endedMs - 1000),
  ]);
  const queries = [...values.keys()].filter((series) => series.startsWith("aigateway_analytics_up{"));
  return [
    ...keys,
    ...(queries.length === 0 ? ["no query is shown"] : []),
    ...queries.flatMap((series) => differs(values, series, 1)),
    // Windows end at midnight.
    ...(nowMs % 86_400_000 < 180_000 ? [] : pairFaults(values)),
    ...differs(values, "aigateway_exporter_config_last_reload_successful", 1),
    // A SIGHUP was sent then.
    ...((values.get(RELOADED) ?? 0) * 1000 >= endedMs - 1 ? [] : ["the configuration was not reloaded"]),
    ...differs(values, "aigateway_exporter_web_config_last_reload_successful", 1),
  ];
}

/** How long the exporter needs for all its queries, in seconds. */
export function analyticsIntervalS(values: Values | undefined): number {
  const found = [...(values ?? [])].find(([series]) =>
    /^aigateway_exporter_poll_interval_seconds\{.*"analytics"/.test(series),
  );
  return found?.[1] ?? INTERVAL_S;
}

function pairFaults(values: Values): readonly string[] {
  const wanted = PAIRS.map(({ model, app, credits }): [string, number] => [
    `aigateway_usage_day_credits{model="${model}",app="${app}"}`,
    credits,
  ]);
  const shown = [...values.keys()].filter((series) => series.startsWith("aigateway_usage_day_credits{"));
  return [
    ...wanted.flatMap(([series, credits]) => differs(values, series, credits)),
    ...(shown.length > wanted.length ? [`${shown.length} pairs are shown, want ${wanted.length}`] : []),
  ];
}

function keyFaults(values: Values, name: string, nowMs: number, sinceMs: number): readonly string[] {
  const usage = values.get(`aigateway_key_usage_credits{key="${name}"}`);
  const [first, last] = [revisionAt(sinceMs), revisionAt(nowMs) + 1];
  const isCurrent = usage !== undefined && usage >= first && usage <= last;
  return [
    ...(isCurrent ? [] : [`the usage of ${name} is ${usage}, want ${first} to ${last}`]),
    ...differs(values, `aigateway_key_limit_credits{key="${name}"}`, limitOf(name)),
  ];
}

function differs(values: Values, series: string, wanted: number): readonly string[] {
  const value = values.get(series);
  return value === wanted ? [] : [`${series} is ${value}, want ${wanted}`];
}
