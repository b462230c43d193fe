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
