import { describe, expect, test } from "vitest";
import { type Source, standingOf } from "../../../exporter/budgets/standing.ts";
import type { WindowSpend } from "../../../exporter/collectors/collector.ts";
import type { BudgetConfig, BudgetScope } from "../../../exporter/config/config.ts";
import { type Period, windowOf } from "../../../exporter/time/window.ts";
import { testBudget } from "../../support/test-config.ts";

/** A Wednesday. */
const NOW = Date.parse("2026-11-18T12:00:00Z");
const MINUTE = 60_000;
const SINCE: Period = { kind: "total", sinceMs: Date.parse("2026-11-01") };

function budget(scope: BudgetScope, period: Period = { kind: "day" }): BudgetConfig {
  return testBudget("a", { limit: 10, period, scope });
}

const keys = (...names: string[]): BudgetScope => ({ kind: "keys", names });

interface Told {
  readonly spend?: Omit<WindowSpend, "window">;
  readonly period?: Period;
  readonly askedAt?: string;
  readonly up?: boolean;
}

/** What a target told by an answer a minute ago, good for three, about the day. */
function source({ spend, period = { kind: "day" }, askedAt, up = true }: Told): Source {
  const askedAtMs = askedAt === undefined ? NOW - MINUTE : Date.parse(askedAt);
  const windows = spend ? [{ window: windowOf(period, askedAtMs), ...spend }] : [];
  return { up, statement: { askedAtMs, timeToLiveMs: 3 * MINUTE, spend: windows } };
}

const spent = (credits: number | undefined, told: Told = {}): Source =>
  source({ spend: { credits }, ...told });

function standing(of: BudgetConfig, sources: Readonly<Record<string, Source>>, nowMs = NOW) {
  const { spent: credits, complete } = standingOf(of, (target) => sources[target], nowMs);
  return [credits, complete];
}

describe("standingOf keys", () => {
  const two = budget(keys("a", "b"));
  const other = spent(0.2);
  const UNKNOWN: Source = { up: undefined, statement: undefined };

  test.each<[string, Readonly<Record<string, Source>>, number | undefined, boolean]>([
    ["all are known", { "key/a": spent(0.1), "key/b": other }, 0.3, true],
    ["one spent nothing", { "key/a": spent(0), "key/b": other }, 0.2, true],
    ["one was refunded", { "key/a": spent(-0.3), "key/b": other }, -0.1, true],
    ["one fails", { "key/a": spent(0.1, { up: false }), "key/b": other }, 0.3, false],
    ["one was not asked yet", { "key/a": UNKNOWN, "key/b": other }, 0.2, false],
    ["one is not configured", { "key/b": other }, 0.2, false],
    ["one does not tell of the day", { "key/a": spent(undefined), "key/b": other }, 0.2, false],
    ["one tells of nothing", { "key/a": source({}), "key/b": other }, 0.2, false],
    ["none is known", {}, undefined, false],
    ["none was heard of today", { "key/a": UNKNOWN, "key/b": UNKNOWN }, undefined, false],
    [
      "one is older than its time to live, although no poll failed",
      { "key/a": spent(0.1, { askedAt: "2026-11-18T11:57:00Z" }), "key/b": other },
      0.3,
      false,
    ],
    [
      "one is almost as old",
      { "key/a": spent(0.1, { askedAt: "2026-11-18T11:57:00.001Z" }), "key/b": other },
      0.3,
      true,
    ],
    [
      "one was asked later than now, since the clock was set back",
      { "key/a": spent(0.1, { askedAt: "2026-11-18T12:00:01Z" }), "key/b": other },
      0.3,
      false,
    ],
    [
      "one is of yesterday",
      { "key/a": spent(0.1, { askedAt: "2026-11-17T23:59:59Z" }), "key/b": other },
      0.2,
      false,
    ],
    [
      "one was asked before today was settled",
      { "key/a": spent(0.1, { askedAt: "2026-11-18T00:01:29.999Z" }), "key/b": other },
      0.2,
      false,
    ],
    [
      "one failed ever since today was settled",
      { "key/a": spent(0.1, { askedAt: "2026-11-18T00:01:30Z", up: false }), "key/b": other },
      0.3,
      false,
    ],
  ])("when %s", (_, sources, credits, complete) => {
    expect(standing(two, sources)).toEqual([credits, complete]);
  });

  test.each<[Period["kind"], string, string, boolean]>([
    ["day", "2026-11-18T23:59:59.999Z", "2026-11-18T23:58:00Z", true],
    ["day", "2026-11-19T00:00:00Z", "2026-11-18T23:59:00Z", false],
    ["week", "2026-11-19T00:00:00Z", "2026-11-18T23:59:00Z", true],
    // Not settled concerns a window that has just begun; the week goes on over midnight.
    ["week", "2026-11-19T00:01:00Z", "2026-11-19T00:00:30Z", true],
    ["week", "2026-11-22T23:59:59Z", "2026-11-22T23:58:00Z", true],
    ["week", "2026-11-23T00:00:00Z", "2026-11-22T23:59:00Z", false],
    ["month", "2026-11-30T23:59:59Z", "2026-11-30T23:58:00Z", true],
    ["month", "2026-12-01T00:00:00Z", "2026-11-30T23:59:00Z", false],
    ["month", "2026-12-01T00:01:00Z", "2026-12-01T00:00:30Z", false],
  ])("the %s at %s knows what was asked at %s: %s", (kind, now, askedAt, isKnown) => {
    const period: Period = kind === "total" ? SINCE : { kind };
    const sources = { "key/a": spent(5, { period, askedAt }) };
    expect(standing(budget(keys("a"), period), sources, Date.parse(now))).toEqual(
      isKnown ? [5, true] : [undefined, false],
    );
  });

  test("tells the window that holds the instant, whatever is known", () => {
    const week = budget(keys("a"), { kind: "week" });
    expect(standingOf(week, () => undefined, NOW).window).toEqual({
      startMs: Date.parse("2026-11-16"),
      endMs: Date.parse("2026-11-23"),
    });
  });
});

describe("standingOf the account", () => {
  test.each<[string, Period, string]>([
    ["of the day", { kind: "day" }, "analytics/day"],
    ["of the week", { kind: "week" }, "analytics/week"],
    ["of the month", { kind: "month" }, "analytics/month"],
    ["since a date", SINCE, "analytics/since_2026-11-01"],
  ])("%s reads the total of its query", (_, period, target) => {
    const sources = { [target]: spent(7.5, { period }) };
    expect(standing(budget({ kind: "account" }, period), sources)).toEqual([7.5, true]);
  });

  test("takes no total since another date", () => {
    const other: Period = { kind: "total", sinceMs: Date.parse("2026-10-01") };
    const sources = { "analytics/since_2026-11-01": spent(7.5, { period: other }) };
    expect(standing(budget({ kind: "account" }, SINCE), sources)).toEqual([undefined, false]);
  });

  test("is complete although the pairs are cut", () => {
    const told = source({ spend: { credits: 9, breakdown: { pairs: [], complete: false } } });
    expect(standing(budget({ kind: "account" }), { "analytics/day": told })).toEqual([9, true]);
  });

  test("knows nothing of a total that begins later", () => {
    const later: Period = { kind: "total", sinceMs: NOW + MINUTE };
    const sources = { "analytics/since_2026-11-18T12:01:00Z": spent(0, { period: later }) };
    expect(standing(budget({ kind: "account" }, later), sources)).toEqual([undefined, false]);
  });
});

describe("standingOf a model or an app", () => {
  const pairs = [
    { model: "acme/one", app: "Chat", credits: 0.1 },
    { model: "acme/one", app: "_none", credits: 0.2 },
    { model: "acme/two", app: "Chat", credits: 4 },
    { model: "acme/free", app: "Chat", credits: undefined },
    { model: "acme/free", app: "Batch", credits: 0 },
  ];

  test.each<["model" | "app", string, boolean, number | undefined, boolean]>([
    ["model", "acme/one", true, 0.3, true],
    ["model", "acme/one", false, 0.3, false],
    ["model", "acme/free", true, 0, false],
    ["model", "ACME/one", true, 0, true],
    ["model", "ACME/one", false, undefined, false],
    ["model", "Chat", true, 0, true],
    ["app", "_none", true, 0.2, true],
    ["app", "Chat", true, 4.1, false],
    ["app", "Batch", true, 0, true],
  ])("%s %s of all pairs (%s): %s, complete %s", (kind, label, isAll, credits, complete) => {
    const told = source({ spend: { credits: 100, breakdown: { pairs, complete: isAll } } });
    expect(standing(budget({ kind, label }), { "analytics/day": told })).toEqual([credits, complete]);
  });

  test("knows nothing from an answer without pairs", () => {
    const sources = { "analytics/day": spent(100) };
    expect(standing(budget({ kind: "app", label: "Chat" }), sources)).toEqual([undefined, false]);
  });
});
