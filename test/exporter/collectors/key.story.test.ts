import { describe, expect, test } from "vitest";
import { keyCollector, keyReading } from "../../../exporter/collectors/key.ts";
import { parseKey } from "../../../exporter/gateway/wire/key.ts";
import { spendOf } from "../../../exporter/readings/reading.ts";
import { secretSource, testConfig } from "../../support/test-config.ts";
import { createFakeClient, resultOf } from "../../support/fake-client.ts";
import { expositionOf } from "../../support/exposition-of.ts";
import { changedLines, CONTRACT_DATA, keyConfig, keyLines, NOON } from "./key-exposition.ts";
import { moveTo, ZONES } from "../../support/fast-time.ts";

function jobOf(config = keyConfig(), baseUrl = "http://127.0.0.1:1") {
  const base = testConfig({ keys: [config] });
  const [job] = keyCollector.jobs({ ...base, gateway: { ...base.gateway, baseUrl } });
  if (!job) throw new Error("Cannot find the job of the key");
  return job;
}

describe("keyCollector: the job of a key", () => {
  test.each([
    ["the gateway", jobOf(keyConfig(), "http://127.0.0.1:2"), true, false],
    [
      "the secret",
      jobOf({ ...keyConfig(), secret: { ...secretSource("sk"), origin: "another" } }),
      true,
      false,
    ],
    ["the owner", jobOf({ ...keyConfig(), owner: { team: "x", project: "", costCenter: "" } }), false, true],
    ["show_label", jobOf(keyConfig(true)), false, true],
    ["nothing", jobOf(), false, false],
  ])("a change of %s changes identity or fingerprint", (_, changed, identity, fingerprint) => {
    const before = jobOf();
    expect([changed.identity !== before.identity, changed.fingerprint !== before.fingerprint]).toEqual([
      identity,
      fingerprint,
    ]);
  });

  test("returns the answer, and the spend of day, week and month without own provider keys", async () => {
    const data = { usage: 9, usage_daily: 1.5, usage_monthly: 0, byok_usage_daily: 7, limit_reset: "weekly" };
    const information = parseKey({ data }, "read it");
    const { value } = await resultOf(jobOf(), createFakeClient({ key: information }).client, NOON);
    const week = { startMs: Date.parse("2026-11-16"), endMs: Date.parse("2026-11-23") };
    expect(value).toMatchObject(keyReading(information, NOON));
    expect(value).toMatchObject({ limitReset: "weekly", usage: { total: 9 }, limitWindow: week });
    const times = { requestedAtMs: NOON, asOfMs: NOON, timeToLiveMs: 0 };
    expect(spendOf({ value, ...times })).toEqual([
      { window: { startMs: Date.parse("2026-11-18"), endMs: Date.parse("2026-11-19") }, credits: 1.5 },
      { window: week, credits: undefined },
      { window: { startMs: Date.parse("2026-11-01"), endMs: Date.parse("2026-12-01") }, credits: 0 },
    ]);
  });
});

const GONE_WITH_LIMIT = [
  "unlimited 0",
  "limit_credits 100",
  "limit_remaining_credits 74.5",
  "limit_next_reset_timestamp_seconds 1796083200",
  "limit_window_start_timestamp_seconds 1793491200",
];

describe("keySamples: the answer of the contract", () => {
  test("as lines", () => {
    expect(keyLines(CONTRACT_DATA)).toEqual([
      "unlimited 0",
      "limit_credits 100",
      "limit_remaining_credits 74.5",
      'limit_reset{aigateway_key_limit_reset="never"} 0',
      'limit_reset{aigateway_key_limit_reset="daily"} 0',
      'limit_reset{aigateway_key_limit_reset="weekly"} 0',
      'limit_reset{aigateway_key_limit_reset="monthly"} 1',
      'limit_reset{aigateway_key_limit_reset="other"} 0',
      "limit_next_reset_timestamp_seconds 1796083200",
      "limit_window_start_timestamp_seconds 1793491200",
      "usage_credits 1025.75",
      "usage_day_credits 1.25",
      "usage_week_credits 12.5",
      "usage_month_credits 25.5",
      "byok_usage_credits 17.38",
      "byok_usage_day_credits 0.5",
      "byok_usage_week_credits 7",
      "byok_usage_month_credits 17.25",
      "byok_in_limit 0",
      "free_tier 0",
    ]);
  });

  test("as a whole exposition, with the samples that need no request", async () => {
    const job = jobOf();
    const { client, calls } = createFakeClient({ key: parseKey({ data: CONTRACT_DATA }, "read it") });
    const result = await resultOf(job, client, NOON);
    const state = { up: true, unauthorized: false, lastSuccessMs: NOON + 500 };
    const all = [...job.constants, ...job.describe(state), ...result.samples];
    expect(calls).toEqual({ currentKey: 1, usage: 0, transcribe: 0 });
    const { text, openmetrics } = expositionOf(keyCollector.families, all);
    await expect(text).toMatchFileSnapshot("../../golden/key.prom");
    await expect(openmetrics).toMatchFileSnapshot("../../golden/key.openmetrics");
  });
});

const AMOUNTS: Readonly<Record<string, string>> = {
  usage: "usage_credits 1025.75",
  usage_daily: "usage_day_credits 1.25",
  usage_weekly: "usage_week_credits 12.5",
  usage_monthly: "usage_month_credits 25.5",
  byok_usage: "byok_usage_credits 17.38",
  byok_usage_daily: "byok_usage_day_credits 0.5",
  byok_usage_weekly: "byok_usage_week_credits 7",
  byok_usage_monthly: "byok_usage_month_credits 17.25",
};

const NUMBERS: readonly [unknown, string][] = [
  [0, "0"],
  [-1.5, "-1.5"],
  [0.1, "0.1"],
  [1e-7, "1e-7"],
  ["8.50", "8.5"],
  [" 1e2 ", "100"],
];

const WRONG_NUMBERS: readonly unknown[] = [true, "", "abc", "NaN", Number.POSITIVE_INFINITY, {}];

describe.each(Object.entries(AMOUNTS))("keySamples: %s", (field, line) => {
  test.each([null, undefined])("%s: no sample, and nothing else changes", (value) => {
    expect(changedLines({ [field]: value })).toEqual({ gone: [line], come: [] });
  });

  test.each(NUMBERS)("%j: %s", (value, written) => {
    const come = [line.replace(/ .*/, ` ${written}`)];
    expect(changedLines({ [field]: value })).toEqual({ gone: [line], come });
  });

  test.each(WRONG_NUMBERS)("%j is not an amount: a bad response", (value) => {
    expect(() => changedLines({ [field]: value })).toThrow(
      expect.objectContaining({
        kind: "bad_response",
        message: `Cannot read key "billing": data.${field}: Invalid input: expected a finite number`,
      }),
    );
  });
});

describe("keySamples: limits", () => {
  test.each<[string, Record<string, unknown>, readonly string[], readonly string[]]>([
    ["unlimited", { limit: null, limit_remaining: null }, GONE_WITH_LIMIT, ["unlimited 1"]],
    ["a limit of 0", { limit: 0 }, ["limit_credits 100"], ["limit_credits 0"]],
    ["unknown", { limit: undefined }, ["unlimited 0", "limit_credits 100"], []],
    [
      "nothing remains",
      { limit_remaining: 0 },
      ["limit_remaining_credits 74.5"],
      ["limit_remaining_credits 0"],
    ],
    [
      "less than nothing",
      { limit_remaining: -0.25 },
      ["limit_remaining_credits 74.5"],
      ["limit_remaining_credits -0.25"],
    ],
  ])("%s", (_, fields, gone, come) => {
    expect(changedLines(fields)).toEqual({ gone, come });
  });

  test.each(["limit", "limit_remaining"])("a wrong type in %s is a bad response", (field) => {
    expect(() => changedLines({ [field]: "lots" })).toThrow(
      `Cannot read key "billing": data.${field}: Invalid input: expected a finite number`,
    );
  });
});

describe("keySamples: limit_reset", () => {
  test.each<[unknown, readonly string[]]>([
    [null, states("never")],
    ["never", states("never")],
    ["daily", [...states("daily"), ...reset("2026-11-19", "2026-11-18")]],
    ["weekly", [...states("weekly"), ...reset("2026-11-23", "2026-11-16")]],
    ["monthly", [...states("monthly"), ...reset("2026-12-01", "2026-11-01")]],
    ["every_other_tuesday", states("other")],
    [undefined, []],
  ])("%j", (text, wanted) => {
    const lines = keyLines({ usage: 1, limit: 5, limit_remaining: 2, limit_reset: text });
    expect(lines).toEqual([
      "unlimited 0",
      "limit_credits 5",
      "limit_remaining_credits 2",
      ...wanted,
      "usage_credits 1",
    ]);
  });

  test("a wrong type is a bad response", () => {
    expect(() => changedLines({ limit_reset: 7 })).toThrow(
      'Cannot read key "billing": data.limit_reset: Invalid input: expected string, received number',
    );
  });
});

describe("keySamples: flags, label and fields beyond the contract", () => {
  test.each<[string, Record<string, unknown>, readonly string[], readonly string[]]>([
    ["free tier", { is_free_tier: true }, ["free_tier 0"], ["free_tier 1"]],
    ["free tier unknown", { is_free_tier: undefined }, ["free_tier 0"], []],
    ["byok counts", { include_byok_in_limit: true }, ["byok_in_limit 0"], ["byok_in_limit 1"]],
    ["byok unknown", { include_byok_in_limit: undefined }, ["byok_in_limit 0"], []],
    ["more fields", { is_management_key: true, is_provisioning_key: null, creator: { id: 1 } }, [], []],
    [
      "the free quota",
      { free_model_daily_requests: { limit: 50, used: "12", remaining: 38, other: 1 } },
      [],
      ["free_requests_day_limit 50", "free_requests_day_used 12", "free_requests_day_remaining 38"],
    ],
    [
      "an unreadable part of it",
      { free_model_daily_requests: { used: 3, limit: "many" } },
      [],
      ["free_requests_day_used 3"],
    ],
    ["a free quota of another type", { free_model_daily_requests: 50 }, [], []],
  ])("%s", (_, fields, gone, come) => {
    expect(changedLines(fields)).toEqual({ gone, come });
  });

  test.each([
    ["label", 7, "expected string, received number"],
    ["is_free_tier", "no", "expected boolean, received string"],
    ["include_byok_in_limit", 0, "expected boolean, received number"],
  ])("a wrong type in %s is a bad response", (field, value, why) => {
    expect(() => changedLines({ [field]: value })).toThrow(
      `Cannot read key "billing": data.${field}: Invalid input: ${why}`,
    );
  });

  test.each<[unknown, string]>([
    ["sk-sim-v1-0e6...1c9", "sk-sim-v1-0e6...1c9"],
    ['a"b\\c\nd', 'a\\"b\\\\c\\nd'],
    [null, ""],
    [undefined, ""],
  ])("label %j is shown if show_label is set", (label, written) => {
    expect(changedLines({ label }, { showLabel: true })).toEqual({
      gone: [],
      come: [`info{label="${written}"} 1`],
    });
  });
});

const EXPIRIES: readonly [unknown, number | undefined][] = [
  ["2027-01-01T00:00:00.000Z", 1798761600],
  ["2027-01-01T00:00:00+02:00", 1798754400],
  ["2027-01-01", 1798761600],
  ["2026-01-01T00:00:00.5Z", 1767225600.5],
  [null, undefined],
  [undefined, undefined],
  ["2027-02-30T00:00:00Z", undefined],
  [1798761600, undefined],
];

describe("keySamples: expires_at", () => {
  test.each(ZONES.flatMap((zone) => EXPIRIES.map(([value, wanted]) => ({ zone, value, wanted }))))(
    "$value on a machine in $zone: $wanted",
    ({ zone, value, wanted }) => {
      moveTo(zone);
      const come = wanted === undefined ? [] : [`expiry_timestamp_seconds ${wanted}`];
      expect(changedLines({ expires_at: value })).toEqual({ gone: [], come });
    },
  );
});

function states(applies: string): readonly string[] {
  return ["never", "daily", "weekly", "monthly", "other"].map(
    (state) => `limit_reset{aigateway_key_limit_reset="${state}"} ${Number(state === applies)}`,
  );
}

function reset(next: string, start: string): readonly string[] {
  return [
    `limit_next_reset_timestamp_seconds ${Date.parse(next) / 1000}`,
    `limit_window_start_timestamp_seconds ${Date.parse(start) / 1000}`,
  ];
}
