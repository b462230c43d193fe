import type { AnalyticsConfig, Config, DiscoveryConfig } from "../config/config.ts";
import { identityOf } from "../secrets/secret.ts";
import type { AccountKeys } from "../gateway/account.ts";
import { sample, seconds } from "../metrics/family.ts";
import type { Job, Result } from "../schedule/job.ts";
import { windowAt } from "../time/window.ts";
import { inParts } from "../time/event-loop.ts";
import { accountIdentity, accountJob, type Collector, createCollectorContext } from "./collector.ts";
import { discoveryFamilies as families } from "./discovery-families.ts";
import type { KeyDirectory } from "../keys/key-directory.ts";
import { namesOf, plainKey, wantedKeys } from "../keys/listed-keys.ts";
import { type TargetReadings, configuredKeys, readElsewhere } from "../keys/watched-keys.ts";
import { listedTargets } from "./listed-key.ts";
import { balanceOf } from "./key-layers.ts";

/** Limits and usage of the account's keys without their secrets, with one request for a hundred keys. */
export const discoveryCollector: Collector = {
  name: "discovery",
  schedule: "discovery",
  families: Object.values(families),
  lastSuccess: families.lastSuccess,
  jobs: (config, { directory, readings } = createCollectorContext()) => {
    const { analytics, discovery } = config;
    const workspaces = discovery?.workspaces.map(nameOf) ?? [];
    directory.use(analytics ? accountIdentity(analytics, config.gateway) : "", workspaces);
    if (!analytics || !discovery) return [];
    return discovery.workspaces.map((workspace) =>
      listingJob(workspace, { config, analytics, discovery, directory, readings }),
    );
  },
};

interface Context {
  readonly config: Config;
  readonly analytics: AnalyticsConfig;
  readonly discovery: DiscoveryConfig;
  readonly directory: KeyDirectory;
  readonly readings: TargetReadings;
}

function listingJob(workspace: string | undefined, context: Context): Job {
  const { config, analytics, discovery } = context;
  const name = nameOf(workspace);
  const labels = { workspace: name };
  const keys = configuredKeys(config);
  const reservedNames = new Map(keys.map(({ name: key, secret }) => [key, identityOf(secret)]));
  return {
    ...accountJob("discovery", name, analytics, config.gateway),
    title: `the list of keys of ${workspace === "all" ? "all workspaces" : `workspace "${name}"`}`,
    endpoint: "account",
    requests: 2,
    fingerprint: JSON.stringify([
      ...[...discovery.include, discovery.owner, ...discovery.exclude].map((pattern) => pattern?.written),
      ...reservedNames,
      ...keys.map(({ limit }) => limit),
    ]),
    reservedNames,
    run: async (client, requestedAtMs) => {
      await readElsewhere(config);
      const answer = await client.accountKeys(workspace, analytics.managementKey);
      return listed(name, answer, context, requestedAtMs);
    },
    describe: (state) => [
      ...sample(families.up, labels, state.up),
      ...sample(families.lastSuccess, labels, seconds(state.lastSuccessMs)),
    ],
  };
}

function nameOf(workspace: string | undefined): string {
  return workspace ?? "default";
}

async function listed(
  workspace: string,
  answer: AccountKeys,
  context: Context,
  requestedAtMs: number,
): Promise<Result> {
  const { discovery, directory, config, readings } = context;
  const { failure, unreadableRows, rowProblem } = answer;
  const { keys, excluded, isComplete } = await wantedKeys(answer, discovery);
  const plain = await inParts(keys, (key) => plainKey(key, discovery));
  // Keys that expired before the present month have spent nothing in any window that is shown.
  const { startMs } = windowAt("month", requestedAtMs);
  const named = directory
    .named(workspace, plain, namesOf(config), isComplete)
    .filter(({ key }) => (key.information.expiresAtMs ?? startMs) >= startMs);
  const configured = new Map(config.keys.map((key) => [key.name, key]));
  const elsewhere = new Set(config.part?.elsewhere.map((key) => key.name));
  const balanceCredits = balanceOf(readings);
  const listing = { workspace, requestedAtMs, balanceCredits, configured, elsewhere };
  const targets = await inParts(named, (key) => listedTargets(key, listing));
  const labels = { workspace };
  return {
    samples: [
      ...sample(families.keys, labels, named.length),
      ...sample(families.excluded, labels, excluded),
      ...sample(families.unreadable, labels, unreadableRows),
    ],
    discovered: { targets: targets.flat(), proves: failure ? "nothing" : isComplete ? "all" : "expired" },
    failure,
    concealedLabels: plain.filter(({ isConcealed }) => isConcealed).length,
    warning: rowProblem && `some keys cannot be read (the first: ${rowProblem})`,
  };
}
