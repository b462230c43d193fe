import { describe, expect, test } from "vitest";
import { createCollectorContext } from "../../../exporter/collectors/collector.ts";
import { unwatchedCollector } from "../../../exporter/collectors/unwatched.ts";
import type { KeyConfig } from "../../../exporter/config/config.ts";
import { Secret } from "../../../exporter/secrets/secret.ts";
import type { Usage } from "../../../exporter/gateway/port.ts";
import type { UnwatchedReading } from "../../../exporter/readings/reading.ts";
import type { TargetStatus } from "../../../exporter/readings/readings.ts";
import { amountsOf, createFakeClient, NO_ANSWERS, NO_USAGE, resultOf } from "../../support/fake-client.ts";
import { testAnalytics, testConfig, testKey } from "../../support/test-config.ts";
import { collectorHeaders } from "../../../exporter/collectors/collector-groups.ts";
import { watchedKeys } from "../../../exporter/keys/watched-keys.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";

const NOON = Date.UTC(2026, 10, 18, 12);

/** A key whose hash is a number, if it is known. */
function hashed(name: string, digits?: number): KeyConfig {
  const hash = digits === undefined ? undefined : digits.toString(16).padStart(64, "0");
  const secret = { origin: name, read: () => new Secret(`sk-${name}-0123456789`), hash: () => hash };
  return testKey(name, { secret });
}

function hashOf(digits: number): string {
  return digits.toString(16).padStart(64, "0");
}

const FIVE: Usage = { ...NO_USAGE, total: { amounts: amountsOf({ credits: 5, requests: 1 }), empty: false } };

const ATTEMPTED: TargetStatus = {
  up: false,
  unauthorized: undefined,
  lastAttemptMs: NOON,
  attempted: true,
  lastSuccessMs: undefined,
  lastAnswerMs: undefined,
  failure: undefined,
  warning: undefined,
};

/** The configured keys have this status and no reading. */
function contextOf(status: TargetStatus | undefined) {
  const readings = { ids: () => [], latest: () => undefined, isCurrent: () => false };
  return createCollectorContext({ ...readings, status: () => status });
}

function jobOf(keys: readonly KeyConfig[], context = contextOf(ATTEMPTED)) {
  const [job] = unwatchedCollector.jobs(testConfig({ keys, analytics: testAnalytics() }), context);
  if (!job) throw new Error("there is no job");
  return job;
}

/** The samples of a run, and the filters of its requests. */
async function run(keys: readonly KeyConfig[], usage: Usage = FIVE) {
  const { client, questions } = createFakeClient({ usage });
  const { samples, value, warning } = await resultOf(jobOf(keys), client, NOON);
  const shown = samples.map((one) => `${one.family.name.replace("aigateway_unwatched_", "")} ${one.value}`);
  const unwatched: UnwatchedReading | undefined = value?.kind === "unwatched" ? value : undefined;
  return { shown, unwatched, warning, filters: questions.map(({ filters }) => filters) };
}

describe("the question about unwatched spend", () => {
  test("leaves out the hash of each key, and includes use without a key", async () => {
    const { shown, filters } = await run([hashed("a", 1), hashed("b", 2)]);
    const filter = {
      dimension: "api_key_id",
      operator: "not_in",
      values: [hashOf(1), hashOf(2)],
      withUnset: true,
    };
    expect(filters).toEqual([[filter], [filter]]);
    expect(shown).toEqual(["day_credits 5", "month_credits 5", "unresolved_keys 0"]);
  });

  test.each([
    ["may contain BYOK", { creditsSource: "total" as const }],
    [
      "has a warning",
      { total: { amounts: amountsOf({ credits: 5 }), empty: false, gap: "warned" as const } },
    ],
  ])("has no answer if the total %s", async (_, part) => {
    const { shown } = await run([hashed("a", 1)], { ...FIVE, ...part });
    expect(shown).toEqual(["unresolved_keys 0"]);
  });

  test("has no filter without any key", async () => {
    const { filters, shown } = await run([]);
    expect(filters).toEqual([[], []]);
    expect(shown).toEqual(["day_credits 5", "month_credits 5", "unresolved_keys 0"]);
  });

  test("is not sent while the hash of a key is not known", async () => {
    const { shown, filters, unwatched, warning } = await run([hashed("a", 1), hashed("b")]);
    expect(filters).toEqual([]);
    expect(shown).toEqual(["unresolved_keys 1"]);
    expect(unwatched).toMatchObject({ unresolvedKeys: 1, unresolvedNames: ["b"] });
    expect(warning).toBe('it is not known, because the secrets of the configured keys "b" could not be read');
  });

  test("is not sent before the keys are listed, and the job runs again soon", async () => {
    const discovery = { workspaces: [undefined], include: [], exclude: [], owner: undefined };
    const [job] = unwatchedCollector.jobs(testConfig({ analytics: testAnalytics(), discovery }));
    expect(await job?.run(NO_ANSWERS, NOON)).toEqual({ samples: [], isEarly: true });
  });

  test("is not sent before a configured key was polled, and the job runs again soon", async () => {
    const keys = [hashed("a", 1), hashed("b")];
    const job = jobOf(keys, contextOf({ ...ATTEMPTED, attempted: false }));
    expect(await job.run(NO_ANSWERS, NOON)).toEqual({ samples: [], isEarly: true });
    expect(await jobOf(keys, contextOf(undefined)).run(NO_ANSWERS, NOON)).toMatchObject({ isEarly: true });
  });

  test("has a filter for each thousand hashes", async () => {
    const keys = Array.from({ length: 1001 }, (_, index) => hashed(`k${index}`, index));
    const { filters } = await run(keys);
    expect(filters.map((ofOne) => ofOne?.map(({ values }) => values.length))).toEqual([
      [1000, 1],
      [1000, 1],
    ]);
  });

  test("is not sent where it needs more than 20 filters", async () => {
    const keys = Array.from({ length: 20_001 }, (_, index) => hashed(`k${index}`, index));
    expect(await run(keys)).toMatchObject({ shown: [], filters: [] });
  });

  test("is not sent where the gateway lists keys by other texts than their hash", async () => {
    const readings = {
      ids: () => [targetId("listed", "k1")],
      latest: () => undefined,
      isCurrent: () => true,
    };
    const context = createCollectorContext({ ...readings, status: () => ATTEMPTED });
    const { samples } = await resultOf(jobOf([hashed("a", 1)], context), NO_ANSWERS, NOON);
    expect(samples).toEqual([]);
  });
});

describe("an answer that cannot be trusted is not shown", () => {
  test.each<[string, Partial<Usage>, string, readonly string[]]>([
    ["names a key", { warnings: 1, warnedHashes: new Set([hashOf(1)]) }, "unresolved_keys 1", ["a"]],
    ["names another key", { warnings: 2, warnedHashes: new Set([hashOf(3)]) }, "unresolved_keys 1", []],
    ["names no key", { warnings: 2, warnedHashes: new Set() }, "unresolved_keys 1", []],
  ])("a warning %s", async (_, change, unresolved, names) => {
    const { shown, unwatched, warning } = await run([hashed("a", 1), hashed("b", 2)], { ...FIVE, ...change });
    expect(shown).toEqual([unresolved]);
    expect(unwatched?.unresolvedNames).toEqual(names);
    expect(warning === undefined).toBe(names.length === 0);
  });

  test("an answer without credits, or with more rows", async () => {
    const lacking = { ...FIVE, total: { amounts: amountsOf({ requests: 3 }), empty: false } };
    const cut: Usage = {
      ...FIVE,
      total: { amounts: amountsOf({ credits: 1 }), empty: false, gap: "cut" },
    };
    for (const usage of [lacking, cut])
      expect((await run([hashed("a", 1)], usage)).shown).toEqual(["unresolved_keys 0"]);
  });
});

/** The HELP text of a family while all collectors run at this interval. */
function helpOf(name: string, intervalMs: number): string | undefined {
  return collectorHeaders(() => intervalMs).find(({ family }) => family.name === name)?.help;
}

describe("collectorHeaders(): how often a family is polled", () => {
  test.each([
    ["aigateway_key_usage_credits", 60_000, "Polled every 60 s; see aigateway_key_last_success"],
    ["aigateway_usage_month_credits", 300_000, "Polled every 300 s; see aigateway_analytics_last_success"],
    ["aigateway_usage_last_month_credits", 300_000, "Polled every 3600 s; see"],
    ["aigateway_usage_last_month_credits", 86_400_000, "Polled every 86400 s; see"],
    [
      "aigateway_analytics_rows",
      300_000,
      "Polled every 300 s, last_month and configured queries with the window last_day or last_month every 3600 s; see",
    ],
    [
      "aigateway_query_credits",
      300_000,
      "Polled every 300 s, queries with the window last_day or last_month every 3600 s; see",
    ],
  ])("%s at %i ms", (name, intervalMs, text) => {
    expect(helpOf(name, intervalMs)).toContain(text);
  });

  test("the time of the last success names no interval", () => {
    expect(helpOf("aigateway_analytics_last_success_timestamp_seconds", 60_000)).not.toContain("Polled");
  });
});

test("a secret with two names, whichever shard polls them, is left out once, and so are listed keys", () => {
  const listed = [targetId("listed", hashOf(1)), targetId("listed", `${hashOf(1)}/also`)];
  const readings = {
    ids: () => [...listed, targetId("listed", hashOf(2))],
    status: () => undefined,
    latest: () => undefined,
    isCurrent: () => true,
  };
  const [one, also] = [hashed("one", 1), hashed("also", 1)];
  const hashes = new Map([
    [hashOf(1), "one"],
    [hashOf(2), undefined],
  ]);
  const part = { ordinal: 0, total: 2, elsewhere: [also] };
  for (const config of [
    { keys: [one, also] },
    { keys: [one], part },
    { part: { ...part, elsewhere: [one, also] } },
  ])
    expect(watchedKeys(testConfig(config), readings)).toEqual({ hashes, unread: [] });
});
