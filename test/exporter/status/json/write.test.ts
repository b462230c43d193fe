import { testKey } from "../../../support/test-config.ts";
import { expect, test } from "vitest";
import { causeNamed } from "../../../../exporter/gateway/causes.ts";
import type { z } from "zod";
import type { Overview } from "../../../../exporter/status/overview.ts";
import { statusSchema } from "../../../../exporter/status/json/schema.ts";
import { statusJson } from "../../../../exporter/status/json/write.ts";
import type { KeyRow } from "../../../../exporter/status/target-rows.ts";
import { KEY_STATES, type View, WHOLE } from "../../../../exporter/status/view.ts";
import {
  budget,
  DAY,
  forecast,
  gaps,
  key,
  NOW,
  overviewOf,
  query,
  UNKNOWN_KEY,
} from "../page/page-reader.ts";

const UP = { state: "up", failure: undefined, lastSuccessMs: NOW - 1500 } as const;
const NOTHING: Partial<KeyRow> = {
  state: "waiting",
  lastSuccessMs: undefined,
  limit: undefined,
  remaining: undefined,
  reset: undefined,
  nextResetMs: undefined,
  day: undefined,
  week: undefined,
  month: undefined,
  total: undefined,
};

/** The answer, which must have the form of the schema and no other field. */
function statusOf(overview: Partial<Overview>, view: Partial<View> = {}): z.infer<typeof statusSchema> {
  return statusSchema.parse(JSON.parse(textOf(overview, view)));
}

function textOf(overview: Partial<Overview>, view: Partial<View> = {}) {
  return statusJson(overviewOf(overview), { ...WHOLE, ...view });
}

test("an exporter with everything answers with every value, amounts and times with their units", () => {
  expect(statusOf(EVERYTHING)).toEqual({
    version: "1.2.3",
    timestamp_seconds: NOW / 1000,
    start_timestamp_seconds: (NOW - DAY) / 1000,
    failed_reload_timestamp_seconds: (NOW - 5000) / 1000,
    gateway_url: "https://gateway.example/api/v1",
    credit_value: { currency: "EUR", value: 0.9 },
    shard: { ordinal: 1, total: 3, keys_elsewhere: 7 },
    keys_total: 1,
    keys: [
      {
        key: "billing",
        up: false,
        failure_reason: "unauthorized",
        failure_message: "Cannot read: gateway answered 401",
        failure_cause: "key_unknown",
        failure_advice: causeNamed("key_unknown").advice,
        last_success_timestamp_seconds: (NOW - 12_000) / 1000,
        states: ["stopped", "failing"],
        team: "payments",
        project: "invoices",
        cost_center: "4711",
        listed: false,
        listed_figures: false,
        unlimited: false,
        limit_credits: 100,
        limit_source: "mirrored",
        limit_remaining_credits: 4,
        limit_reset_schedule: "monthly",
        limit_next_reset_timestamp_seconds: (NOW + 9 * DAY + 10 * 3_600_000) / 1000,
        outlook: "predicted",
        exhaustion_timestamp_seconds: NOW / 1000 + 3600,
        burn_credits_per_hour: { "15m": 4, "1h": 3 },
        usage_day_credits: 1.5,
        usage_week_credits: 10,
        usage_month_credits: 60,
        usage_credits: 1234.5,
        expiry_timestamp_seconds: (NOW + DAY) / 1000,
      },
    ],
    budgets: [
      {
        budget: "month",
        team: "payments",
        scope: "keys",
        keys: ["billing"],
        window: "month",
        window_start_timestamp_seconds: Date.parse("2026-11-01T00:00:00Z") / 1000,
        window_end_timestamp_seconds: Date.parse("2026-12-01T00:00:00Z") / 1000,
        limit_credits: 500,
        spent_credits: 120.5,
        complete: false,
        gaps: { failing: 1 },
        unmatched: false,
      },
    ],
    queries: [
      {
        query: "day",
        up: true,
        last_success_timestamp_seconds: (NOW - 5000) / 1000,
        window_start_timestamp_seconds: Date.parse("2026-11-01T00:00:00Z") / 1000,
        data_timestamp_seconds: (NOW - 60_000) / 1000,
        credits: 0,
        complete: true,
        requests_complete: false,
        pairs: [{ model: "acme/one", app: "Chat", credits: 5 }],
        truncated: false,
        exceeds_total: false,
      },
    ],
    unwatched: {
      up: true,
      last_success_timestamp_seconds: (NOW - 1500) / 1000,
      day_credits: 0,
      unresolved_keys: 0,
    },
    account: {
      balance: {
        up: true,
        last_success_timestamp_seconds: (NOW - 1500) / 1000,
        bought_credits: 50,
        used_credits: 30,
        balance_credits: 20,
      },
    },
  });
});

/** As the configuration has it. */
const CREDIT_VALUE = { currency: "EUR", value: 0.9, former: [] };
const EVERYTHING: Partial<Overview> = {
  failedReloadMs: NOW - 5000,
  creditValue: CREDIT_VALUE,
  shard: { ordinal: 1, total: 3, elsewhere: Array.from({ length: 7 }, () => testKey("elsewhere")) },
  keys: [
    key("billing", {
      forecast: forecast({
        outlook: "predicted",
        exhaustionMs: NOW + 3_600_400,
        burn: { "15m": 4, "1h": 3 },
      }),
      ...UNKNOWN_KEY,
      remaining: 4,
      isLimitMirrored: true,
      expiryMs: NOW + DAY,
      owner: { team: "payments", project: "invoices", costCenter: "4711" },
    }),
  ],
  budgets: [budget("month", { team: "payments", gaps: gaps({ failing: 1 }) })],
  queries: [query("day", { credits: 0, pairs: [{ model: "acme/one", app: "Chat", credits: 5 }] })],
  unwatched: { name: "unwatched", ...UP, day: 0, month: undefined, unresolvedKeys: 0, unresolvedNames: [] },
  account: {
    balance: { name: "credits", ...UP, bought: 50, used: 30, balance: 20 },
    capabilities: { name: "capabilities", ...UP },
    listings: [],
    queries: [],
  },
};

test("a key without an answer has no amounts, and an exporter without anything has no keys", () => {
  const { keys } = statusOf({ keys: [key("new", NOTHING)] });
  expect(keys).toEqual([{ key: "new", states: ["waiting"], listed: false, listed_figures: false }]);
  const empty = statusOf({});
  expect(Object.keys(empty)).toEqual([
    "version",
    "timestamp_seconds",
    "start_timestamp_seconds",
    "gateway_url",
    "keys_total",
    "keys",
    "budgets",
  ]);
});

test.each<[string, Partial<KeyRow>, object, readonly string[]]>([
  [
    "unlimited",
    { limit: "unlimited", remaining: undefined },
    { unlimited: true },
    ["limit_credits", "limit_source"],
  ],
  [
    "no limit",
    { limit: 0, remaining: 0 },
    { unlimited: false, limit_credits: 0, states: ["stopped", "up"] },
    [],
  ],
  [
    "not polled",
    { isListed: true, isDisabled: true },
    { listed: true, listed_figures: true, states: ["up", "disabled"] },
    [],
  ],
  [
    "never reset",
    { reset: "never", nextResetMs: undefined },
    { limit_reset_schedule: "never" },
    ["limit_next_reset_timestamp_seconds"],
  ],
  [
    "a number that is not finite",
    { day: Number.NaN, expiryMs: Infinity },
    { usage_week_credits: 10 },
    ["usage_day_credits", "expiry_timestamp_seconds"],
  ],
])("distinguishes %s from unknown and zero", (_name, more, present, absent) => {
  const text = textOf({ keys: [key("billing", more)] });
  const [row = {}] = statusSchema.parse(JSON.parse(text)).keys;
  expect(row).toMatchObject(present);
  for (const name of absent) expect(row).not.toHaveProperty(name);
  expect(text).not.toContain("null");
});

test.each(KEY_STATES)("the state %s of a key is the parameter that selects it", (state) => {
  const keys = [
    key("down", UNKNOWN_KEY),
    key("new", NOTHING),
    key("used", { remaining: 0 }),
    ...[DAY / 48, DAY / 2, 2 * DAY].map((ms) => key(`ends-${ms}`, { expiryMs: NOW + ms })),
    key("off", { isDisabled: true }),
  ];
  const all = statusOf({ keys });
  const named = all.keys.filter(({ states }) => states.includes(state));
  expect(statusOf({ keys }, { state }).keys).toEqual(named);
  expect(named.length).toBeGreaterThan(0);
});

test("the pages have a thousand keys each, in the order of the view, and the last one names no next one", () => {
  const keys = Array.from({ length: 2001 }, (_, index) => key(`key-${index}`, { day: index }));
  const names: string[] = [];
  const next: (number | undefined)[] = [];
  for (const page of [1, 2, 3, 4]) {
    const answer = statusOf({ keys }, { page, sort: "day" });
    expect(answer.keys_total).toBe(2001);
    names.push(...answer.keys.map((row) => row.key));
    next.push(answer.next_page);
  }
  expect(names).toEqual(keys.map(({ name }) => name).toReversed());
  expect(next).toEqual([2, 3, undefined, undefined]);
});

test("a query is complete only if its total is", () => {
  const queries = [
    query("day", { credits: 5 }),
    query("last_day", { credits: 5, isLeast: true }),
    query("month", { requests: 7 }),
    query("last_month", { credits: 5, requests: 7, isRequestsLeast: true }),
  ];
  const answer = statusOf({ queries });
  expect(answer.queries?.map(({ complete }) => complete)).toEqual([true, false, false, true]);
  expect(answer.queries?.map((one) => one.requests_complete)).toEqual([false, false, true, false]);
});

test("a view with a filter has neither models nor the account", () => {
  const answer = statusOf({ ...EVERYTHING, queries: [query("day")] }, { team: "payments" });
  const { keys, budgets, queries, unwatched, account } = answer;
  expect([keys.length, budgets.length]).toEqual([1, 1]);
  expect([queries, unwatched, account]).toEqual([undefined, undefined, undefined]);
});

test("hostile names are texts", () => {
  const evil = `"},{"key":"x\u0000\u2028</script>\ud800`;
  const { keys } = statusOf({
    keys: [key(evil, { owner: { team: evil, project: "", costCenter: "" } })],
  });
  expect(keys).toMatchObject([{ key: evil, team: evil }]);
});
