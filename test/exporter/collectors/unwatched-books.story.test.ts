import { describe, expect, test } from "vitest";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Switches } from "../../gateway/switches.ts";
import { seriesName } from "../../support/series.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 28, 6);
const OTHER_WORKSPACE = "11111111-2222-4333-8444-555555555555";

/** All polls every half hour, so that days pass quickly. */
const schedule = { keys: "30m", analytics: "30m", discovery: "30m" };

async function start(
  switches: Partial<Switches>,
  isDiscovered: boolean,
  keys: readonly string[] = ["one", "two", "three"],
): Promise<TestApp> {
  return startTestApp({
    start: START,
    analytics: true,
    keys,
    gateway: () => ({ switches }),
    prepare: (gateway) => {
      for (const name of ["one", "two", "three", "four", "five"]) gateway.addKey({ name });
      gateway.addKey({ name: "far", workspace: OTHER_WORKSPACE });
      gateway.addKey({ name: "chat", keyless: true });
    },
    content: () => ({
      schedule,
      discovery: { enabled: isDiscovered },
      analytics: { management_key_env: "MANAGEMENT_KEY", queries: [] },
    }),
  });
}

const NAMES = ["day", "month"].map((window) => seriesName(`aigateway_unwatched_${window}_credits`, {}));
const SOURCE = "aigateway_unwatched_source";
const UNRESOLVED = seriesName("aigateway_unwatched_unresolved_keys", {});

function booksOf({ gateway, clock }: TestApp, watched: readonly string[]) {
  const now = clock.now();
  const [day, month] = [Math.floor(now / DAY) * DAY, Date.UTC(2026, new Date(now).getUTCMonth(), 1)];
  return [day, month].map(
    (from) => gateway.books.unwatched({ start: from, end: now }, watched).integers.credits_usage / 1e6,
  );
}

/** Every key and the site spend, with BYOK; disabled and deleted keys are refused. */
function spendAll(gateway: Gateway, step: number): void {
  const names = ["one", "two", "three", "four", "five", "far", "chat", "six"];
  for (const [index, key] of names.entries()) {
    if (!gateway.world.keys.has(key)) continue;
    const micros = 100_000 + 7919 * index + 31 * step;
    const byok = { byokMicros: 250_003 * ((index + step) % 3), byokFeeMicros: 11 };
    gateway.spend({ key, model: "acme/one", micros, ...byok });
  }
}

/** What is shown after the next rounds, and what the ledger contains; the source is the last item of each. */
async function compared(app: TestApp, watched: readonly string[], source: string) {
  await app.clock.advance(2 * HOUR);
  const books = booksOf(app, watched);
  const series = await app.seriesWhen((all) => NAMES.every((name, index) => all.get(name) === books[index]));
  const values = NAMES.map((name) => series.get(name));
  const at = new Date(app.clock.now()).toISOString();
  return {
    shown: [at, ...values, series.get(`${SOURCE}{${SOURCE}="${source}"}`)],
    books: [at, ...books, 1],
  };
}

describe("unwatched spend equals the gateway's ledger, with BYOK, while keys change", () => {
  test.each<[string, Partial<Switches>]>([
    ["filter", {}],
    ["difference", { mostFilterValues: 0, missingMetrics: ["credits_usage"] }],
  ])("by %s", async (source, switches) => {
    const app = await start(switches, true);
    const { gateway } = app;
    const changes: readonly (() => void)[] = [
      () => {},
      () => gateway.rename("four", "one"),
      () => gateway.disable("five"),
      () => gateway.remove("four"),
    ];
    for (const [step, change] of changes.entries()) {
      change();
      spendAll(gateway, step);
      const watched = ["one", "two", "three", "four", "five"].filter((name) => step < 3 || name !== "four");
      const after = await compared(app, watched, source);
      expect(after.shown).toEqual(after.books);
    }
  });
});

describe("unwatched spend is not shown", () => {
  test("of the keys that were watched before a reload, although no poll succeeds after it", async () => {
    const app = await start({}, false);
    spendAll(app.gateway, 1);
    const before = await compared(app, ["one", "two", "three"], "filter");
    expect(before.shown).toEqual(before.books);
    app.gateway.faults.add({ kind: "status", status: 503, endpoint: "analytics" });
    await app.apply({ keys: [{ name: "one", api_key_env: "KEY_0" }] });
    const series = await app.series();
    expect(NAMES.map((name) => series.has(name))).toEqual([false, false]);
  });

  test("while the gateway does not know a configured key, whose name is logged", async () => {
    const app = await start({}, false);
    spendAll(app.gateway, 1);
    const before = await compared(app, ["one", "two", "three"], "filter");
    expect(before.shown).toEqual(before.books);
    app.gateway.remove("two");
    await app.clock.advance(HOUR);
    const series = await app.seriesWhen((shown) => shown.get(UNRESOLVED) === 1);
    expect(NAMES.map((name) => series.has(name))).toEqual([false, false]);
    expect(app.lines.map(({ message }) => message).join("\n")).toContain(
      'Polled the unwatched spend, but it is not known, because the gateway does not know the configured keys "two"',
    );
    expect(JSON.stringify(app.lines) + [...series.keys()].join("\n")).not.toContain(
      app.gateway.world.key("two").hash,
    );
  });

  test("between the deletion of a listed key and the next list, and without a line in the log", async () => {
    const app = await start({}, true);
    const before = await compared(app, ["one", "two", "three", "four", "five"], "filter");
    expect(before.shown).toEqual(before.books);
    app.gateway.remove("four");
    app.gateway.faults.add({ kind: "status", status: 503, endpoint: "keys" });
    await app.clock.advance(HOUR);
    const series = await app.seriesWhen((shown) => shown.get(UNRESOLVED) === 1);
    expect(NAMES.map((name) => series.has(name))).toEqual([false, false]);
    app.gateway.faults.clear();
    const after = await compared(app, ["one", "two", "three", "five"], "filter");
    expect(after.shown).toEqual(after.books);
    expect(app.lines.filter(({ level, message }) => level !== "debug" && /unwatched/.test(message))).toEqual(
      [],
    );
  });

  test("by difference while a watched key cannot be polled", async () => {
    const app = await start({ mostFilterValues: 0 }, false);
    spendAll(app.gateway, 1);
    const before = await compared(app, ["one", "two", "three"], "difference");
    expect(before.shown).toEqual(before.books);
    app.gateway.faults.add({ kind: "status", status: 401, endpoint: "key", key: "one" });
    await app.clock.advance(2 * HOUR);
    const series = await app.seriesWhen(
      (shown) => !shown.has(seriesName("aigateway_unwatched_day_credits", {})),
    );
    expect(NAMES.map((name) => series.has(name))).toEqual([false, false]);
  });
});
