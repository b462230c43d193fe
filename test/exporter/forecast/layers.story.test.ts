import { expect, onTestFinished, test } from "vitest";
import { seriesName, type SeriesMap } from "../../support/series.ts";
import { startTestApp, type TestAppOptions } from "../../support/test-app.ts";

// Every layer that bounds a key is forecast by its own spend and until its own reset. One exhaustion is one page.

const MINUTE = 60_000;

async function start(
  everyMinutes: number,
  prepare: NonNullable<TestAppOptions["prepare"]>,
  analytics = false,
) {
  const app = await startTestApp({
    start: "2026-11-18T12:00:00Z",
    gateway: () => ({ switches: { keyBudgets: true, extraKeyFields: true } }),
    prepare,
    analytics,
    content: () => ({ schedule: { keys: `${everyMinutes}m` }, ...(analytics && { discovery: {} }) }),
  });
  onTestFinished(() => app.stop());
  return {
    ...app,
    /** Lets polls pass; before each, some keys spend. */
    pass: async (polls: number, keys: string | readonly string[], micros: number) => {
      for (let poll = 0; poll < polls; poll++) {
        for (const key of micros > 0 ? [keys].flat() : [])
          app.gateway.spend({ key, model: "acme/one", micros });
        await app.clock.runTo(app.clock.now() + everyMinutes * MINUTE);
      }
      return app.series();
    },
  };
}

/** The states that apply, of every family of outlooks. */
function outlooks(series: SeriesMap): readonly string[] {
  return [...series]
    .filter(([name, value]) => /_outlook\{/.test(name) && value === 1)
    .map(([name]) => name.replace(/^aigateway_/, "").replace(/aigateway_\w+_outlook="(\w+)"/, "$1"))
    .toSorted();
}

const instants = (series: SeriesMap) =>
  [...series.keys()].filter((name) => name.includes("_exhaustion_timestamp_seconds"));

test("a monthly cap that ends first is not hidden by a daily one with less left", async () => {
  const app = await start(5, (gateway) => {
    gateway.addKey({ name: "docs", limitMicros: 5_000_000, limitReset: "daily" });
    gateway.setBudget({ scope: "api_key", id: "g1", keys: ["docs"], micros: 40_000_000, reset: "monthly" });
    gateway.spend({ key: "docs", model: "acme/one", micros: 35_800_000, at: Date.UTC(2026, 10, 12) });
  });
  // 2.4 credits a day of 4.2 that the month has left; the day's limit of 5 is never reached.
  const series = await app.pass(27 * 12, "docs", 8_330);
  expect(outlooks(series)).toEqual([
    'key_layer_outlook{lasts,key="docs",source="key_limit"}',
    'key_layer_outlook{predicted,key="docs",source="api_key"}',
    'key_outlook{predicted,key="docs"}',
  ]);
});

test("a shared budget is announced once, by its own spend, and its keys last no longer", async () => {
  const app = await start(1, (gateway) => {
    for (const name of ["docs", "search"]) gateway.addKey({ name });
    const keys = ["docs", "search"];
    gateway.setBudget({ scope: "workspace", id: "b1", keys, micros: 60_000_000, reset: "monthly" });
    gateway.spend({ key: "search", model: "acme/one", micros: 1_000_000, at: Date.UTC(2026, 10, 2) });
  });
  const series = await app.pass(35, "docs", 1_200_000);
  expect(outlooks(series)).toEqual([
    'key_outlook{imminent,key="docs"}',
    'key_outlook{imminent,key="search"}',
    'shared_limit_outlook{imminent,id="b1",source="workspace"}',
  ]);
  // No key alert fires for what a key shares.
  expect(series.get('aigateway_key_exhaustion_urgency{key="search"}')).toBe(0);
  expect(new Set(instants(series).map((name) => series.get(name))).size).toBe(1);
  const needs = /<section class="card attention".*?<\/section>/s.exec(await app.page("/"))?.[0] ?? "";
  expect(needs.match(/<li /g)).toHaveLength(1);
  expect(needs).toMatch(/workspace.*stops 2 keys: /s);
  const burn = seriesName("aigateway_shared_limit_burn_credits_per_hour", {
    source: "workspace",
    id: "b1",
    window: "1h",
  });
  expect(series.get(burn)).toBeCloseTo(72, -1);
  const used = await app.pass(20, "docs", 1_200_000);
  expect(outlooks(used).at(-1)).toBe('shared_limit_outlook{exhausted,id="b1",source="workspace"}');
  // The key that speaks for it goes: the other one does.
  await app.apply({ keys: [{ name: "search", api_key_env: "KEY_1" }] });
  expect(outlooks(await app.pass(12, "search", 0)).at(-1)).toContain("shared_limit_outlook{exhausted");
});

test("a shared budget that is still learned is not urgent for a key with little left of its own limit", async () => {
  const app = await start(5, (gateway) => {
    gateway.addKey({ name: "docs", limitMicros: 60_000_000, limitReset: "monthly" });
    gateway.setBudget({ scope: "api_key", id: "g1", keys: ["docs"], micros: 90_000_000, reset: "monthly" });
    gateway.spend({ key: "docs", model: "acme/one", micros: 55_000_000, at: Date.UTC(2026, 10, 2) });
  });
  await app.pass(27 * 12, "docs", 10);
  const budget = {
    scope: "workspace",
    id: "b1",
    keys: ["docs"],
    micros: 60_000_000,
    reset: "monthly",
  } as const;
  app.gateway.setBudget(budget);
  const series = await app.pass(1, "docs", 10);
  expect(outlooks(series)).toEqual([
    'key_layer_outlook{lasts,key="docs",source="api_key"}',
    'key_layer_outlook{lasts,key="docs",source="key_limit"}',
    'key_outlook{learning,key="docs"}',
    'shared_limit_outlook{learning,id="b1",source="workspace"}',
  ]);
  expect(series.get('aigateway_key_exhaustion_urgency{key="docs"}')).toBe(0);
});

test.each([
  { what: "the mean of today", analytics: false, today: 60, hourly: 0, left: 10, micros: 83_000 },
  { what: "the gateway's history", analytics: true, today: 0, hourly: 2, left: 30, micros: 33_000 },
])(
  "by $what, a key whose own limit ends first has the same forecast with and without other budgets",
  async ({ analytics, today, hourly, left, micros }) => {
    const keys = ["alone", "docs", "later"];
    const budget = { scope: "member", micros: 9_000_000_000, reset: "monthly" } as const;
    const app = await start(
      1,
      (gateway) => {
        const limitMicros = (today + 7 * 24 * hourly + left) * 1_000_000;
        for (const key of keys) {
          gateway.addKey({ name: key, limitMicros, limitReset: "monthly", includeByokInLimit: true });
          const spend = (credits: number, at: number) =>
            gateway.spend({ key, model: "acme/one", micros: credits * 1_000_000, at });
          spend(today, Date.UTC(2026, 10, 18, 6));
          for (let hour = 0; hour < 7 * 24; hour++)
            spend(hourly, Date.UTC(2026, 10, 18, 11, 30) - hour * 60 * MINUTE);
        }
        gateway.setBudget({ ...budget, keys: ["docs"] });
      },
      analytics,
    );
    for (const sharing of [["docs"], ["docs", "later"]]) {
      app.gateway.setBudget({ ...budget, keys: sharing });
      const series = await app.pass(5, keys, micros);
      expect(outlooks(series).filter((name) => name.startsWith("key_outlook"))).toEqual(
        keys.map((key) => `key_outlook{predicted,key="${key}"}`),
      );
    }
  },
);
