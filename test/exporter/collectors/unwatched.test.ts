import { describe, expect, test } from "vitest";
import { createCollectorContext } from "../../../exporter/collectors/collector.ts";
import { unwatchedCollector } from "../../../exporter/collectors/unwatched.ts";
import type { KeyConfig } from "../../../exporter/config/config.ts";
import { Secret } from "../../../exporter/secrets/secret.ts";
import { GatewayError } from "../../../exporter/gateway/errors.ts";
import type { Usage } from "../../../exporter/gateway/port.ts";
import type { UnwatchedReading } from "../../../exporter/readings/reading.ts";
import type { TargetStatus } from "../../../exporter/readings/readings.ts";
import { amountsOf, createFakeClient, NO_ANSWERS, NO_USAGE, resultOf } from "../../support/fake-client.ts";
import { testAnalytics, testConfig, testKey } from "../../support/test-config.ts";
import { collectorHeaders } from "../../../exporter/collectors/collector-groups.ts";
import { type AccountTotal, createTotalsMemory } from "../../../exporter/collectors/unwatched-difference.ts";
import { watchedKeys } from "../../../exporter/keys/watched-keys.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { type Window, windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";

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

const BY_FILTER = ["source 1", "source 0"];
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
    expect(shown).toEqual(["day_credits 5", "month_credits 5", ...BY_FILTER, "unresolved_keys 0"]);
  });

  test.each([
    ["may contain BYOK", { creditsSource: "total" as const }],
    [
      "has a warning",
      { total: { amounts: amountsOf({ credits: 5 }), empty: false, gap: "warned" as const } },
    ],
  ])("has no answer if the total %s", async (_, part) => {
    const { shown } = await run([hashed("a", 1)], { ...FIVE, ...part });
    expect(shown).toEqual([...BY_FILTER, "unresolved_keys 0"]);
  });

  test("has no filter without any key", async () => {
    const { filters, shown } = await run([]);
    expect(filters).toEqual([[], []]);
    expect(shown).toEqual(["day_credits 5", "month_credits 5", ...BY_FILTER, "unresolved_keys 0"]);
  });

  test("is not sent while the hash of a key is not known", async () => {
    const { shown, filters, unwatched, warning } = await run([hashed("a", 1), hashed("b")]);
    expect(filters).toEqual([]);
    expect(shown).toEqual([...BY_FILTER, "unresolved_keys 1"]);
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

  test("is asked without a filter for a day after the service has rejected one", async () => {
    const context = createCollectorContext();
    const asked: number[] = [];
    const client = {
      ...NO_ANSWERS,
      usage: ({ filters = [] }: { filters?: readonly object[] }): Promise<Usage> => {
        asked.push(filters.length);
        const refusal = new GatewayError("bad_request", "too many values", { status: 400 });
        return filters.length > 0 ? Promise.reject(refusal) : Promise.resolve(FIVE);
      },
    };
    const hour = 3_600_000;
    for (const later of [0, 1, 23, 25])
      await jobOf([hashed("a", 1)], context).run(client, NOON + later * hour);
    expect(asked).toEqual([1, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
  });
});

describe("an answer that cannot be trusted is not shown", () => {
  test.each<[string, Partial<Usage>, string, readonly string[]]>([
    ["names a key", { warnings: 1, warnedHashes: new Set([hashOf(1)]) }, "unresolved_keys 1", ["a"]],
    ["names another key", { warnings: 2, warnedHashes: new Set([hashOf(3)]) }, "unresolved_keys 1", []],
    ["names no key", { warnings: 2, warnedHashes: new Set() }, "unresolved_keys 1", []],
  ])("a warning %s", async (_, change, unresolved, names) => {
    const { shown, unwatched, warning } = await run([hashed("a", 1), hashed("b", 2)], { ...FIVE, ...change });
    expect(shown).toEqual([...BY_FILTER, unresolved]);
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
      expect((await run([hashed("a", 1)], usage)).shown).toEqual([...BY_FILTER, "unresolved_keys 0"]);
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

const MINUTE = 60_000;

test("a gateway whose clock is behind makes no total older than it is", () => {
  const memory = createTotalsMemory(createManualClock(NOON));
  memory.add({ ...totalAt(NOON, windowAt("day", NOON)), asOfMs: NOON - 10 * MINUTE });
  expect(memory.until(windowAt("day", NOON), NOON - MINUTE)).toBeUndefined();
  expect(memory.until(windowAt("day", NOON), NOON)).toBeDefined();
});

test.each([-10 * MINUTE, 10 * MINUTE])(
  "totals from before a step of the clock by %i ms are forgotten",
  (step) => {
    const clock = createManualClock(NOON);
    const memory = createTotalsMemory(clock);
    memory.use("account");
    memory.add(totalAt(NOON - MINUTE, windowAt("day", NOON)));
    memory.use("account");
    expect(memory.until(windowAt("day", NOON), NOON)).toBeDefined();
    clock.set(NOON + step);
    memory.use("account");
    expect(memory.until(windowAt("day", NOON), NOON)).toBeUndefined();
  },
);

test("the spend of a key that a reload removed is not unwatched before the next list", () => {
  const keyOf = (name: string, digit: string) =>
    testKey(name, {
      secret: {
        origin: name,
        read: () => new Secret(`sk-${name}-0123456789`),
        hash: () => hashOfDigit(digit),
      },
    });
  // The list was read while both keys were configured, so it has the spend of neither.
  const readings = {
    ids: () => [targetId("listed", hashOfDigit("a")), targetId("listed", hashOfDigit("b"))],
    status: () => undefined,
    latest: () => undefined,
    isCurrent: () => true,
  };
  const both = watchedKeys(testConfig({ keys: [keyOf("a", "a"), keyOf("b", "b")] }), readings);
  expect(both?.targets).toEqual([targetId("key", "a"), targetId("key", "b")]);
  const one = watchedKeys(testConfig({ keys: [keyOf("a", "a")] }), readings);
  expect(one?.targets).toEqual([targetId("key", "a"), targetId("listed", hashOfDigit("b"))]);
});

test("the spend of a secret with two names is subtracted once, whichever shard polls them", () => {
  const keyOf = (name: string) =>
    testKey(name, {
      secret: { origin: name, read: () => new Secret("sk-same-0123456789"), hash: () => hashOfDigit("a") },
    });
  const [one, also] = [keyOf("one"), keyOf("also")];
  const readings = {
    ids: () => [targetId("listed", hashOfDigit("a")), targetId("listed", `${hashOfDigit("a")}/also`)],
    status: () => undefined,
    latest: () => undefined,
    isCurrent: () => true,
  };
  const here = watchedKeys(testConfig({ keys: [one, also] }), readings);
  expect(here?.targets).toEqual([targetId("key", "one")]);
  const part = { ordinal: 0, total: 2, elsewhere: [also] };
  expect(watchedKeys(testConfig({ keys: [one], part }), readings)?.targets).toEqual(here?.targets);
  const elsewhere = watchedKeys(testConfig({ part: { ...part, elsewhere: [one, also] } }), readings);
  expect(elsewhere?.targets).toEqual([targetId("listed", hashOfDigit("a"))]);
  expect(elsewhere?.hashes).toEqual(new Map([[hashOfDigit("a"), "one"]]));
});

function totalAt(requestedAtMs: number, window: Window): AccountTotal {
  return { window, requestedAtMs, asOfMs: requestedAtMs, credits: 1 };
}

function hashOfDigit(digit: string): string {
  return digit.repeat(64);
}
