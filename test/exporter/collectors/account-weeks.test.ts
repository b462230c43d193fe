import { describe, expect, test } from "vitest";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Switches } from "../../gateway/switches.ts";
import { seriesName, type SeriesMap } from "../../support/series.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Three weeks with the first of a month. */
const START = Date.UTC(2026, 10, 20, 6);
const STEPS = 25;
/** From one comparison to the next, so that they are at different times of the day. */
const STEP_MS = 20 * HOUR;
const SCHEDULE = "8h";

const CONFIGURED = ["one", "two"];
const EXCLUDED = "Hidden";

/** What happens to the keys, by step. The last ones of each kind are in December. */
const CHANGES: Readonly<Record<number, (gateway: Gateway) => void>> = {
  1: (gateway) => gateway.rename("three", "Batch"),
  3: (gateway) => void gateway.addKey({ name: "five", title: "Batch" }),
  5: (gateway) => gateway.disable("four"),
  7: (gateway) => gateway.rename("one", "Payments"),
  9: (gateway) => gateway.remove("three"),
  10: (gateway) => gateway.enable("four"),
  12: (gateway) => void gateway.addKey({ name: "six", title: EXCLUDED }),
  13: (gateway) => gateway.rename("four", "one"),
  15: (gateway) => gateway.moveCredits({ kind: "purchase", micros: 40_000_000 }),
  16: (gateway) => gateway.remove("five"),
  18: (gateway) => void gateway.addKey({ name: "seven" }),
  20: (gateway) => gateway.disable("seven"),
};

function start(switches: Partial<Switches>): Promise<TestApp> {
  return startTestApp({
    start: START,
    analytics: true,
    keys: CONFIGURED,
    gateway: () => ({ switches }),
    prepare: (gateway) => {
      gateway.moveCredits({ kind: "purchase", micros: 900_000_000 });
      for (const name of [...CONFIGURED, "three", "four"]) gateway.addKey({ name });
      gateway.addKey({ name: "chat", keyless: true });
    },
    content: () => ({
      schedule: { keys: SCHEDULE, analytics: SCHEDULE, discovery: SCHEDULE },
      discovery: { exclude: [`^${EXCLUDED}$`] },
    }),
  });
}

/** Every key spends on two models, some of it at a provider. Disabled and deleted ones are refused. */
function spendAll(gateway: Gateway, step: number, withByok: boolean): void {
  const names = [...CONFIGURED, "three", "four", "five", "six", "seven", "chat"];
  for (const [index, key] of names.entries()) {
    if (!gateway.world.keys.has(key)) continue;
    const byok = withByok ? { byokMicros: 250_003 * ((index + step) % 3), byokFeeMicros: 11 } : {};
    for (const model of ["acme/one", `acme/m${(index + step) % 3}`])
      gateway.spend({ key, model, app: "Chat", micros: 100_000 + 7919 * index + 31 * step, ...byok });
  }
}

/** Everything about the account that the ledger contains, as series. */
function booksOf({ gateway, clock }: TestApp, shown: SeriesMap): ReadonlyMap<string, number> {
  const now = clock.now();
  const listed = gateway.books.keys().filter(({ title }) => title !== EXCLUDED);
  const watched = listed.map(({ name }) => name);
  const { bought, spent, balance } = gateway.books.balance().credits;
  const windows = [
    ["day", Math.floor(now / DAY) * DAY],
    ["month", Date.UTC(2026, new Date(now).getUTCMonth(), 1)],
  ] as const;
  return new Map([
    [seriesName("aigateway_account_bought_credits", {}), bought],
    [seriesName("aigateway_account_used_credits", {}), spent],
    [seriesName("aigateway_account_balance_credits", {}), balance],
    ...windows.flatMap(([window, from]) => windowSeries(gateway, window, { start: from, end: now }, watched)),
    ...listed.map(({ hash, book }) => keySeries(labelOf(hash, shown), book.credits.usage.month)),
  ]);
}

function windowSeries(
  { books }: Gateway,
  window: "day" | "month",
  period: { readonly start: number; readonly end: number },
  watched: readonly string[],
): readonly (readonly [string, number])[] {
  const unwatched = books.unwatched(period, watched).numbers.credits_usage;
  const { numbers } = books.usage(period, [])[0] ?? {};
  return [
    [seriesName(`aigateway_unwatched_${window}_credits`, {}), unwatched],
    [`sum of ${window}`, numbers?.credits_usage ?? 0],
    [`BYOK of ${window}`, numbers?.byok_usage ?? 0],
    ...books.usage(period, ["api_key_id", "model"]).flatMap((row) => {
      const { api_key_id: key, model } = row.labels;
      const labels = { query: `keys-${window}`, api_key: key ?? "Chatroom", model: model ?? "_none" };
      return [
        [seriesName("aigateway_query_credits", labels), row.numbers.credits_usage] as const,
        [seriesName("aigateway_query_requests", labels), row.numbers.request_count] as const,
      ];
    }),
  ];
}

function keySeries(key: string, credits: number): readonly [string, number] {
  return [seriesName("aigateway_key_usage_month_credits", { key }), credits];
}

/** The label of the key with a hash. */
function labelOf(hash: string, shown: SeriesMap): string {
  const info = [...shown.keys()].find(
    (name) => name.startsWith("aigateway_key_discovery_info") && name.includes(`hash="${hash.slice(0, 8)}"`),
  );
  return /\bkey="([^"]*)"/.exec(info?.replace(/api_key="[^"]*"/, "") ?? "")?.[1] ?? "not listed";
}

const SHOWN =
  /^aigateway_(account_\w+_credits|unwatched_\w+_credits|query_(credits|requests)|key_usage_month_credits)\{/;

/** The same series as they are shown. */
function shownOf(series: SeriesMap): ReadonlyMap<string, number> {
  const sum = (name: string) =>
    [...series].reduce(
      (micros, [one, value]) => micros + (one.startsWith(`${name}{`) ? Math.round(value * 1e6) : 0),
      0,
    );
  return new Map([
    ...[...series].filter(([name]) => SHOWN.test(name)),
    ...["day", "month"].flatMap((window) => [
      [`sum of ${window}`, sum(`aigateway_usage_${window}_credits`) / 1e6] as const,
      [`BYOK of ${window}`, sum(`aigateway_usage_${window}_byok_credits`) / 1e6] as const,
    ]),
  ]);
}

function sorted(series: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...series].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

describe("the account equals the gateway's ledger over weeks, while its keys change", () => {
  test.each<[string, Partial<Switches>, boolean]>([
    ["with BYOK", {}, true],
    ["without BYOK", {}, false],
  ])(
    "%s",
    async (_, switches, withByok) => {
      const app = await start(switches);
      for (let step = 0; step < STEPS; step++) {
        CHANGES[step]?.(app.gateway);
        spendAll(app.gateway, step, withByok);
        // Everything is polled twice: a new key is unwatched until it is listed.
        await app.clock.advance(17 * HOUR);
        const isEqual = (series: SeriesMap) =>
          JSON.stringify(sorted(shownOf(series))) === JSON.stringify(sorted(booksOf(app, series)));
        const series = await app.seriesWhen(isEqual);
        expect([step, ...sorted(shownOf(series))]).toEqual([step, ...sorted(booksOf(app, series))]);
        await app.clock.advance(STEP_MS - 17 * HOUR);
      }
    },
    300_000,
  );
});
