import { afterEach, describe, expect, test } from "vitest";

import type { Gateway } from "../gateway/gateway.ts";
import type { ManualClock } from "../support/clock.ts";
import { seriesLike, type SeriesMap } from "../support/series.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const MIDNIGHT = Date.parse("2026-11-01T00:00:00Z");
const SECOND = 1000;

let app: TestApp;
let gateway: Gateway;
let clock: ManualClock;

async function start(startMs: number, top = 50): Promise<void> {
  app = await startTestApp({
    start: startMs,
    prepare: ({ addKey }) => addKey({ name: "billing", limitMicros: 90_000_000, limitReset: "daily" }),
    analytics: true,
    content: () => ({
      schedule: { keys: "60s", analytics: "60s" },
      analytics: { management_key_env: "MANAGEMENT_KEY", top, queries: [] },
    }),
  });
  ({ gateway, clock } = app);
}

afterEach(() => app.stop());

/** By default a second ago, because a range that ends now excludes this instant. */
function spend(micros: number, model = "acme/one", at = clock.now() - SECOND): void {
  gateway.spend({ key: "billing", model, app: "Chat", micros, requests: 1, promptTokens: 10, at });
}

describe("yesterday's windows in answers after midnight", () => {
  test("are never shown as today's in any second, and today's follow once the service has turned over", async () => {
    await start(MIDNIGHT - 300 * SECOND);
    gateway.switches.staleAfterMidnightMs = 80_000;
    spend(7_000_000);
    await clock.runTo(MIDNIGHT - 60 * SECOND);
    expect(wrongValues(await seriesLikeBooks(BEFORE), BEFORE)).toEqual([]);

    const seen: string[] = [];
    for (let second = -59; second < 240; second++) {
      await clock.runTo(MIDNIGHT + second * SECOND);
      if (second === 20) spend(3_000_000);
      const series = await app.series();
      const shown = seriesLike(series, WINDOWED);
      // From midnight to 00:01:30 only the current week is shown; before and after, the values of that time.
      const allowed = second < 0 ? [BEFORE] : second < 90 ? [WEEK] : [WEEK, AFTER];
      for (const [name, value] of shown) {
        const isTrue = allowed.some((moment) => Object.is(moment.get(name), value));
        if (!isTrue) seen.push(`${second} s: ${name} is ${value}`);
      }
    }
    expect(seen).toEqual([]);
    expect(wrongValues(await seriesLikeBooks(AFTER), AFTER)).toEqual([]);
  });
});

describe("a row that moves between the two requests of a query", () => {
  const noon = MIDNIGHT + 12 * 3_600_000;

  test.each([
    ["after the rows, once", "acme/one", 1],
    ["after the rows, once, and is not shown by name", "acme/three", 1],
    ["after each answer", "acme/one", 100],
    ["after each answer, and is not shown by name", "acme/three", 100],
  ])("%s shows no value that never occurred in the books", async (_name, model, times) => {
    await start(noon, 2);
    spend(9_000_000, "acme/one");
    spend(8_000_000, "acme/two");
    spend(5_000_000, "acme/three");
    spend(2_000_000, "acme/four");
    const moments = [creditsNow()];
    let left = times;
    gateway.hooks.afterQuery = ({ body }) => {
      const range: unknown = JSON.parse(body);
      if (left-- <= 0 || !isOfToday(range)) return;
      // Late, so that it falls into the range of the request in progress.
      spend(250_000, model, noon - SECOND);
      moments.push(creditsNow());
    };
    await clock.runTo(noon + 30 * SECOND);
    const series = await app.seriesWhen((seen) => seriesLike(seen, DAY_CREDITS).size > 0);
    const shown = seriesLike(series, DAY_CREDITS);
    const never = [...shown].filter(([name, value]) => !moments.some((moment) => moment.get(name) === value));
    expect(shown.size).toBe(3);
    expect(never).toEqual([]);
  });

  /** The series of the day's credits if the request took no time. */
  function creditsNow(): SeriesMap {
    const { pairs } = gateway.books.analytics({ start: MIDNIGHT, end: Infinity });
    const micros = new Map(pairs.map(({ model, integers }) => [model, integers.credits_usage]));
    const of = (model: string) => micros.get(model) ?? 0;
    return new Map([
      ['aigateway_usage_day_credits{app="Chat",model="acme/one"}', of("acme/one") / 1e6],
      ['aigateway_usage_day_credits{app="Chat",model="acme/two"}', of("acme/two") / 1e6],
      [
        'aigateway_usage_day_credits{app="_other",model="_other"}',
        (of("acme/three") + of("acme/four")) / 1e6,
      ],
    ]);
  }
});

function seriesLikeBooks(books: SeriesMap): Promise<SeriesMap> {
  return app.seriesWhen((series) => wrongValues(series, books).length === 0);
}

const DAY_CREDITS = /^aigateway_usage_day_credits/;

function isOfToday(request: unknown): boolean {
  const text = JSON.stringify(request);
  return text.includes('"start":"2026-11-01T00:00:00.000Z"');
}

const WINDOWED =
  /^aigateway_(key_usage_(day|week|month)|key_limit_(remaining|next_reset|window_start)|usage_(last_)?(day|month)_(credits|requests))/;

/** Saturday, the last of October: the day's spend is also in the week and the month. */
const BEFORE: SeriesMap = new Map([
  ['aigateway_key_usage_day_credits{key="billing"}', 7],
  ['aigateway_key_usage_week_credits{key="billing"}', 7],
  ['aigateway_key_usage_month_credits{key="billing"}', 7],
  ['aigateway_key_limit_remaining_credits{key="billing"}', 83],
  ['aigateway_key_limit_next_reset_timestamp_seconds{key="billing"}', MIDNIGHT / 1000],
  ['aigateway_key_limit_window_start_timestamp_seconds{key="billing"}', MIDNIGHT / 1000 - 86_400],
  ['aigateway_usage_day_credits{app="Chat",model="acme/one"}', 7],
  ['aigateway_usage_day_requests{app="Chat",model="acme/one"}', 1],
  ['aigateway_usage_month_credits{app="Chat",model="acme/one"}', 7],
  ['aigateway_usage_month_requests{app="Chat",model="acme/one"}', 1],
]);

const WEEK: SeriesMap = new Map([['aigateway_key_usage_week_credits{key="billing"}', 7]]);

/** Sunday, the first of November, of the same week. */
const AFTER: SeriesMap = new Map([
  ['aigateway_key_usage_day_credits{key="billing"}', 3],
  ['aigateway_key_usage_week_credits{key="billing"}', 10],
  ['aigateway_key_usage_month_credits{key="billing"}', 3],
  ['aigateway_key_limit_remaining_credits{key="billing"}', 87],
  ['aigateway_key_limit_next_reset_timestamp_seconds{key="billing"}', MIDNIGHT / 1000 + 86_400],
  ['aigateway_key_limit_window_start_timestamp_seconds{key="billing"}', MIDNIGHT / 1000],
  ['aigateway_usage_day_credits{app="Chat",model="acme/one"}', 3],
  ['aigateway_usage_day_requests{app="Chat",model="acme/one"}', 1],
  ['aigateway_usage_last_day_credits{app="Chat",model="acme/one"}', 7],
  ['aigateway_usage_last_day_requests{app="Chat",model="acme/one"}', 1],
  ['aigateway_usage_month_credits{app="Chat",model="acme/one"}', 3],
  ['aigateway_usage_month_requests{app="Chat",model="acme/one"}', 1],
  ['aigateway_usage_last_month_credits{app="Chat",model="acme/one"}', 7],
  ['aigateway_usage_last_month_requests{app="Chat",model="acme/one"}', 1],
]);

function wrongValues(series: SeriesMap, expected: SeriesMap): readonly string[] {
  const shown = seriesLike(series, WINDOWED);
  const names = new Set([...shown.keys(), ...expected.keys()]);
  return [...names].flatMap((name) =>
    Object.is(shown.get(name), expected.get(name))
      ? []
      : [`${name} is ${shown.get(name)}, want ${expected.get(name)}`],
  );
}
