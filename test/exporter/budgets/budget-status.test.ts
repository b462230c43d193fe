import { describe, expect, test } from "vitest";
import { budgetStatus, GAPS } from "../../../exporter/budgets/budget-status.ts";
import type { BudgetConfig, BudgetScope } from "../../../exporter/config/config.ts";
import type { SpendGap, WindowSpend } from "../../../exporter/readings/reading.ts";
import type { TargetId } from "../../../exporter/readings/target-id.ts";
import { type Period, windowOf } from "../../../exporter/time/window.ts";
import { createFakeReadings, type FakeTarget, spendReading } from "../../support/fake-readings.ts";
import { testBudget } from "../../support/test-config.ts";

/** A Wednesday. */
const NOW = Date.parse("2026-11-18T12:00:00Z");
const MINUTE = 60_000;
const SINCE: Period = { kind: "total", sinceMs: Date.parse("2026-11-01") };

function budget(scope: BudgetScope, period: Period = { kind: "day" }): BudgetConfig {
  return testBudget("a", { limit: 10, period, scope });
}

const keys = (...names: string[]): BudgetScope => ({ kind: "keys", names });

interface Answer {
  readonly spend?: Omit<WindowSpend, "window">;
  readonly period?: Period;
  readonly requestedAt?: string;
  readonly computedAt?: string;
  readonly up?: boolean;
}

/** A target with the day's spend, whose answer is a minute old and lives for three. */
function target({ spend, period = { kind: "day" }, requestedAt, computedAt, up = true }: Answer): FakeTarget {
  const requestedAtMs = requestedAt === undefined ? NOW - MINUTE : Date.parse(requestedAt);
  const asOfMs = computedAt === undefined ? requestedAtMs : Date.parse(computedAt);
  const spent = spend && { window: windowOf(period, requestedAtMs), ...spend };
  return {
    status: { up, failure: up ? undefined : FAILURE },
    reading: spendReading(spent, requestedAtMs, asOfMs),
  };
}

const CUT: SpendGap = { reason: "cut", credits: undefined };
const UNLISTED: SpendGap = { reason: "unlisted", credits: 50 };
const UNKNOWN: SpendGap = { reason: "unknown", credits: undefined };
const ACCOUNT: BudgetScope = { kind: "account" };
const APP: BudgetScope = { kind: "app", label: "Chat" };
const UNPRICED = { pairs: [{ model: "acme/one", app: "Chat", credits: undefined }], gap: undefined };

const FAILURE = { reason: "timeout", message: "Cannot read it" } as const;

const spent = (credits: number | undefined, answer: Answer = {}): FakeTarget =>
  target({ spend: { credits }, ...answer });

type Targets = Readonly<Partial<Record<TargetId, FakeTarget>>>;

/** The spend, and the gaps of the sources; complete without gaps. */
function status(of: BudgetConfig, targets: Targets, nowMs = NOW) {
  const { spent: credits, complete, gaps } = budgetStatus(of, createFakeReadings(targets, nowMs), nowMs);
  if (complete === undefined) return [credits, "not begun"];
  expect(complete).toBe(gaps === undefined);
  return [credits, gaps ? GAPS.filter((gap) => gaps.counts[gap] > 0).join(" ") : "complete"];
}

describe("budgetStatus of keys", () => {
  const two = budget(keys("a", "b"));
  const other = spent(0.2);
  const WAITING: FakeTarget = {};

  test.each<[string, Targets, number | undefined, string]>([
    ["all are known", { "key/a": spent(0.1), "key/b": other }, 0.3, "complete"],
    ["one spent nothing", { "key/a": spent(0), "key/b": other }, 0.2, "complete"],
    ["one fails", { "key/a": spent(0.1, { up: false }), "key/b": other }, 0.3, "failing"],
    ["one was not polled yet", { "key/a": WAITING, "key/b": other }, 0.2, "waiting"],
    ["one has an unknown day", { "key/a": spent(undefined), "key/b": other }, 0.2, "partial"],
    ["one has no spend", { "key/a": target({}), "key/b": other }, 0.2, "partial"],
    ["none was polled yet", { "key/a": WAITING, "key/b": WAITING }, undefined, "waiting"],
    [
      "one is older than its time to live, although no poll failed",
      { "key/a": spent(0.1, { requestedAt: "2026-11-18T11:57:00Z" }), "key/b": other },
      0.3,
      "old",
    ],
    [
      "one was requested yesterday",
      { "key/a": spent(0.1, { requestedAt: "2026-11-17T23:59:59Z" }), "key/b": other },
      0.2,
      "early",
    ],
    [
      "the service computed one before today had settled",
      { "key/a": spent(0.1, { computedAt: "2026-11-18T00:01:29Z" }), "key/b": other },
      0.2,
      "early",
    ],
    [
      "one has failed since today settled",
      { "key/a": spent(0.1, { requestedAt: "2026-11-18T00:01:30Z", up: false }), "key/b": other },
      0.3,
      "failing",
    ],
  ])("when %s", (_, targets, credits, gaps) => {
    expect(status(two, targets)).toEqual([credits, gaps]);
  });

  test.each<[Period["kind"], string, string, boolean]>([
    ["day", "2026-11-18T23:59:59.999Z", "2026-11-18T23:58:00Z", true],
    ["day", "2026-11-19T00:00:00Z", "2026-11-18T23:59:00Z", false],
    // Only a window that has just begun is unsettled; the week continues over midnight.
    ["week", "2026-11-19T00:01:00Z", "2026-11-19T00:00:30Z", true],
    ["week", "2026-11-23T00:00:00Z", "2026-11-22T23:59:00Z", false],
    ["month", "2026-12-01T00:01:00Z", "2026-12-01T00:00:30Z", false],
  ])("the %s at %s counts an answer requested at %s: %s", (kind, now, requestedAt, isKnown) => {
    const period: Period = kind === "total" ? SINCE : { kind };
    const targets = { "key/a": spent(5, { period, requestedAt }) };
    expect(status(budget(keys("a"), period), targets, Date.parse(now))).toEqual(
      isKnown ? [5, "complete"] : [undefined, "early"],
    );
  });
});

describe("budgetStatus of the account", () => {
  test.each<[string, Period, TargetId]>([
    ["of the day", { kind: "day" }, "analytics/day"],
    ["of the week", { kind: "week" }, "analytics/week"],
    ["of the month", { kind: "month" }, "analytics/month"],
    ["since a date", SINCE, "analytics/since_2026-11-01"],
  ])("%s reads the total of its query", (_, period, id) => {
    const targets = { [id]: spent(7.5, { period }) };
    expect(status(budget({ kind: "account" }, period), targets)).toEqual([7.5, "complete"]);
  });

  test("is complete even if the pairs are cut", () => {
    const day = target({ spend: { credits: 9, breakdown: { pairs: [], gap: CUT } } });
    expect(status(budget({ kind: "account" }), { "analytics/day": day })).toEqual([9, "complete"]);
  });

  test("has neither spend nor gaps for a total that begins later", () => {
    const later: Period = { kind: "total", sinceMs: NOW + MINUTE };
    const targets = { "analytics/since_2026-11-18T12:01:00Z": spent(0, { period: later }) } as const;
    expect(status(budget({ kind: "account" }, later), targets)).toEqual([undefined, "not begun"]);
  });
});

describe("budgetStatus of a model or an app", () => {
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
    ["model", "ACME/one", true, 0, true],
    ["app", "_none", true, 0.2, true],
    ["app", "Chat", true, 4.1, false],
    ["app", "Batch", true, 0, true],
  ])("%s %s of all pairs (%s): %s, complete %s", (kind, label, isAll, credits, complete) => {
    const day = target({ spend: { credits: 100, breakdown: { pairs, gap: isAll ? undefined : CUT } } });
    const gap = complete ? "complete" : "partial";
    expect(status(budget({ kind, label }), { "analytics/day": day })).toEqual([credits, gap]);
  });
});

describe("budgetStatus: the gaps", () => {
  test("count the sources with each gap, and give the reason of the first failing one", () => {
    const five = budget(keys("a", "b", "c", "d", "e"));
    const network = { reason: "network", message: "Cannot read it" } as const;
    const { gaps } = budgetStatus(
      five,
      createFakeReadings(
        {
          "key/a": {},
          "key/b": spent(1, { up: false }),
          "key/c": { status: { up: false, failure: network } },
          "key/d": spent(1, { requestedAt: "2026-11-17T23:00:00Z" }),
          "key/e": spent(1),
        },
        NOW,
      ),
      NOW,
    );
    expect(gaps).toEqual({
      sources: 5,
      counts: { failing: 2, waiting: 1, early: 1, old: 0, partial: 0 },
      reason: "timeout",
      partial: undefined,
    });
  });

  test.each<[string, BudgetScope, Omit<WindowSpend, "window">, SpendGap | undefined]>([
    ["the pairs lack something", APP, { credits: 61, breakdown: { pairs: [], gap: UNLISTED } }, UNLISTED],
    ["the total lacks something", ACCOUNT, { credits: 61, gap: CUT }, CUT],
    ["a pair of the app has no amount", APP, { credits: 61, breakdown: UNPRICED }, UNKNOWN],
    ["the total is unknown", ACCOUNT, { credits: undefined }, UNKNOWN],
  ])("name what the answer lacks: %s", (_, scope, spend, partial) => {
    const readings = createFakeReadings({ "analytics/day": target({ spend }) }, NOW);
    const { complete, gaps } = budgetStatus(budget(scope), readings, NOW);
    expect([complete, gaps?.partial]).toEqual([partial === undefined, partial]);
  });
});
