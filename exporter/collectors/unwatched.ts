import type { AnalyticsConfig, Config } from "../config/config.ts";
import { identityOf } from "../secrets/secret.ts";
import type { GatewayClient, Usage, UsageFilter } from "../gateway/port.ts";
import { sample, seconds } from "../metrics/family.ts";
import type { Job, Result } from "../schedule/job.ts";
import { windowAt } from "../time/window.ts";
import { type Collector, type CollectorContext, createCollectorContext, accountJob } from "./collector.ts";
import { runningRange } from "./query-job.ts";
import { type WatchedKeys, watchedKeys, configuredKeys, readElsewhere } from "../keys/watched-keys.ts";
import { unwatchedFamilies as families } from "./account-families.ts";

/** Spend of the account that no watched key explains: a key that nobody watches, or use without a key. */
export const unwatchedCollector: Collector = {
  name: "unwatched",
  schedule: "analytics",
  families: Object.values(families),
  lastSuccess: families.lastSuccess,
  jobs: (config, context = createCollectorContext()) =>
    config.analytics ? [unwatchedJob(config, config.analytics, context)] : [],
};

function unwatchedJob(config: Config, analytics: AnalyticsConfig, context: CollectorContext): Job {
  const shared = accountJob("unwatched", "unwatched", analytics, config.gateway);
  return {
    ...shared,
    title: "the unwatched spend",
    endpoint: "analytics",
    requests: WINDOWS.length,
    // An answer that left out other keys says nothing about those that are left out now.
    identity: JSON.stringify([
      shared.identity,
      configuredKeys(config).map((key) => [key.name, identityOf(key.secret)]),
      config.discovery?.workspaces,
    ]),
    run: async (client, requestedAtMs) => {
      await readElsewhere(config);
      const watched = watchedKeys(config, context.readings);
      if (!watched) return { samples: [], isEarly: true };
      return unwatched({ client, managementKey: analytics.managementKey, requestedAtMs, watched });
    },
    describe: ({ lastSuccessMs }) => sample(families.lastSuccess, {}, seconds(lastSuccessMs)),
  };
}

interface Run {
  readonly client: GatewayClient;
  readonly managementKey: AnalyticsConfig["managementKey"];
  readonly requestedAtMs: number;
  readonly watched: WatchedKeys;
}

const WINDOWS = ["day", "month"] as const;

async function unwatched(run: Run): Promise<Result> {
  const { hashes, unread } = run.watched;
  if (unread.length > 0) return resultOf(run, [], { count: unread.length, names: unread, isUnread: true });
  const values = [...hashes.keys()];
  const filters = filtersOf(values);
  // Some services name keys by shorter texts, which filters do not know (vendor-2026-10, 5).
  if (filters.length > MOST_FILTERS || !values.every((hash) => SHA256.test(hash)))
    return resultOf(run, [], undefined);
  const answers = await fetchTotals(run, filters);
  const unresolved = unresolvedOf(answers, hashes);
  return resultOf(run, unresolved.count > 0 ? [] : answers, unresolved);
}

const SHA256 = /^[0-9a-f]{64}$/;

/** The most values that a filter is known to accept. */
const MOST_VALUES = 1000;

/** The most filters of a query (gateway-interface, 8). */
const MOST_FILTERS = 20;

/** If no key is watched, all spend is unwatched. */
function filtersOf(values: readonly string[]): readonly UsageFilter[] {
  return Array.from({ length: Math.ceil(values.length / MOST_VALUES) }, (_, index) => ({
    dimension: "api_key_id",
    operator: "not_in",
    values: values.slice(index * MOST_VALUES, (index + 1) * MOST_VALUES),
    withUnset: true,
  }));
}

async function fetchTotals({ client, managementKey, requestedAtMs }: Run, filters: readonly UsageFilter[]) {
  const answers: Usage[] = [];
  for (const kind of WINDOWS) {
    const range = runningRange(windowAt(kind, requestedAtMs), requestedAtMs);
    answers.push(
      await client.usage({ range, pairs: false, total: true, rates: false, filters }, managementKey),
    );
  }
  return answers;
}

interface Unresolved {
  readonly count: number;
  /** Of the configured ones. */
  readonly names: readonly string[];
  /** Whether their secrets could not be read; otherwise the service does not know them. */
  readonly isUnread?: true;
}

/** A warning that names no watched key counts as one unresolved key, because it may concern any of them. */
function unresolvedOf(
  answers: readonly Usage[],
  hashes: ReadonlyMap<string, string | undefined>,
): Unresolved {
  const warned = new Set(answers.flatMap(({ warnedHashes = [] }) => [...warnedHashes]));
  const known = [...warned].filter((hash) => hashes.has(hash));
  const isWarned = answers.some(({ warnings }) => warnings > 0);
  return {
    count: isWarned ? Math.max(1, known.length) : 0,
    names: known.flatMap((hash) => hashes.get(hash) ?? []),
  };
}

function resultOf(
  { requestedAtMs }: Run,
  answers: readonly Usage[],
  unresolved: Unresolved | undefined,
): Result {
  const [day, month] = WINDOWS.map((kind, index) => ({
    window: windowAt(kind, requestedAtMs),
    credits: totalOf(answers[index]),
  }));
  const { count = 0, names = [] } = unresolved ?? {};
  const computed = answers.flatMap(({ computedAtMs }) => computedAtMs ?? []);
  return {
    ...(day &&
      month && {
        value: {
          kind: "unwatched",
          windows: { day, month },
          unresolvedKeys: count,
          unresolvedNames: names,
        },
      }),
    samples: [
      ...sample(families.day, {}, day?.credits, day?.window),
      ...sample(families.month, {}, month?.credits, month?.window),
      ...sample(families.unresolved, {}, unresolved?.count),
    ],
    computedAtMs: computed.length > 0 ? Math.min(...computed) : undefined,
    warning: warningOf(unresolved),
  };
}

/** Undefined: the total may be incomplete, or may contain BYOK. */
function totalOf({ total, creditsSource }: Partial<Usage> = {}): number | undefined {
  if (!total || total.gap || creditsSource === "total") return undefined;
  return total.empty ? 0 : total.amounts.credits;
}

/** Keys that were deleted after they were listed are not reported, because nothing is wrong. */
function warningOf({ names, isUnread }: Pick<Unresolved, "names" | "isUnread"> = { names: [] }) {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `"${name}"`);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  const keys = `the configured keys ${shown.join(", ")}${more}`;
  return isUnread
    ? `it is not known, because the secrets of ${keys} could not be read`
    : `it is not known, because the gateway does not know ${keys}: they may be deleted, or belong to another account`;
}

const NAMES_SHOWN = 5;
