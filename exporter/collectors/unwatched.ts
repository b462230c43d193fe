import type { AnalyticsConfig, Config } from "../config/config.ts";
import { identityOf } from "../secrets/secret.ts";
import { GatewayError } from "../gateway/errors.ts";
import type { GatewayClient, Usage, UsageFilter } from "../gateway/port.ts";
import { sample, seconds } from "../metrics/family.ts";
import { targetId } from "../readings/target-id.ts";
import type { Job, Result } from "../schedule/job.ts";
import { isSettled, windowAt } from "../time/window.ts";
import {
  type Collector,
  type CollectorContext,
  createCollectorContext,
  accountIdentity,
} from "./collector.ts";
import { runningRange } from "./query-job.ts";
import { type Difference, difference, totalOf } from "./unwatched-difference.ts";
import { type WatchedKeys, watchedKeys, configuredKeys, readElsewhere } from "../keys/watched-keys.ts";
import {
  UNWATCHED_SOURCES,
  type UnwatchedSource,
  unwatchedFamilies as families,
} from "./account-families.ts";

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
  const name = "unwatched";
  const account = accountIdentity(analytics, config.gateway);
  return {
    id: targetId("unwatched", name),
    title: "the unwatched spend",
    name,
    endpoint: "analytics",
    requests: WINDOWS.length,
    minIntervalMs: 0,
    // What other keys were unwatched is no answer to what is unwatched now.
    identity: JSON.stringify([
      account,
      configuredKeys(config).map((key) => [key.name, identityOf(key.secret)]),
      config.discovery?.workspaces,
    ]),
    fingerprint: "",
    constants: [],
    run: async (client, requestedAtMs) => {
      await readElsewhere(config);
      const watched = watchedKeys(config, context.readings);
      if (!watched) return { samples: [], isEarly: true };
      context.totals.use(account);
      const run: Run = { client, managementKey: analytics.managementKey, requestedAtMs, watched, context };
      return (await byFilter(run)) ?? byDifference(run);
    },
    describe: ({ lastSuccessMs }) => sample(families.lastSuccess, {}, seconds(lastSuccessMs)),
  };
}

interface Run {
  readonly client: GatewayClient;
  readonly managementKey: AnalyticsConfig["managementKey"];
  readonly requestedAtMs: number;
  readonly watched: WatchedKeys;
  readonly context: CollectorContext;
}

const WINDOWS = ["day", "month"] as const;

/** Undefined: there are too many keys for a filter, or the service rejects it. */
async function byFilter(run: Run): Promise<Result | undefined> {
  const { requestedAtMs, context, watched } = run;
  const { hashes, unread } = watched;
  if (!hashes || context.totals.isRejected(requestedAtMs)) return undefined;
  if (unread.length > 0)
    return resultOf(run, "filter", [], { count: unread.length, names: unread, isUnread: true });
  const values = [...hashes.keys()];
  const filter: UsageFilter = { dimension: "api_key_id", operator: "not_in", values, withUnset: true };
  let answers: readonly Usage[];
  try {
    // If no key is watched, all spend is unwatched.
    answers = await fetchTotals(run, values.length > 0 ? [filter] : []);
  } catch (error) {
    if (values.length === 0 || !(error instanceof GatewayError) || error.status !== 400) throw error;
    context.totals.rejected(requestedAtMs);
    return undefined;
  }
  const unresolved = unresolvedOf(answers, hashes);
  const spends = answers.map((usage) => ({ credits: totalOf(usage), asOfMs: usage.computedAtMs }));
  return resultOf(run, "filter", unresolved.count > 0 ? [] : spends, unresolved);
}

async function byDifference(run: Run): Promise<Result> {
  const { requestedAtMs, context, watched } = run;
  for (const [index, usage] of (await fetchTotals(run, [])).entries()) {
    const window = windowAt(WINDOWS[index] ?? "day", requestedAtMs);
    const credits = totalOf(usage);
    const asOfMs = Math.min(usage.computedAtMs ?? requestedAtMs, requestedAtMs);
    if (credits !== undefined && isSettled(window, asOfMs))
      context.totals.add({ window, requestedAtMs, asOfMs, credits });
  }
  const spends = WINDOWS.map((kind) =>
    difference(windowAt(kind, requestedAtMs), watched.targets, context.readings, context.totals),
  );
  return resultOf(run, "difference", spends, undefined);
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

type Spent = { readonly credits: number | undefined; readonly asOfMs: number | undefined };

function resultOf(
  { requestedAtMs }: Run,
  source: UnwatchedSource,
  spends: readonly (Spent | Difference | undefined)[],
  unresolved: Unresolved | undefined,
): Result {
  const [day, month] = WINDOWS.map((kind, index) => ({
    window: windowAt(kind, requestedAtMs),
    credits: spends[index]?.credits,
  }));
  const { count = 0, names = [] } = unresolved ?? {};
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
      ...UNWATCHED_SOURCES.flatMap((state) =>
        sample(families.source, { aigateway_unwatched_source: state }, state === source),
      ),
      ...sample(families.unresolved, {}, unresolved?.count),
    ],
    computedAtMs: earliest(spends.flatMap((spent) => spent?.asOfMs ?? [])),
    warning: warningOf(unresolved),
  };
}

function earliest(instants: readonly number[]): number | undefined {
  return instants.length === 0 ? undefined : Math.min(...instants);
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
