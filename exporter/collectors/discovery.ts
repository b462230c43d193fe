import type { AnalyticsConfig, Config, DiscoveryConfig, Owner } from "../config/config.ts";
import { holdsSecret, identityOf } from "../config/secret.ts";
import type { AccountKey, AccountKeys } from "../gateway/account.ts";
import { MOST_LISTED_KEYS } from "../gateway/account-keys.ts";
import { GatewayError } from "../gateway/errors.ts";
import { sample, seconds } from "../metrics/family.ts";
import { targetId } from "../readings/target-id.ts";
import type { Job, Result } from "../schedule/job.ts";
import { inParts } from "../time/turns.ts";
import { accountIdentity } from "./account-identity.ts";
import type { Collector } from "./collector.ts";
import { createCollectorContext } from "./collector-context.ts";
import { discoveryFamilies as families } from "./discovery-families.ts";
import { configuredKeys, readElsewhere } from "./configured-keys.ts";
import { type KeyDirectory, type Names, plainName } from "./key-directory.ts";
import { labelText, shownLabel } from "./label-text.ts";
import { listedMembers } from "./listed-key.ts";
import { matchedPart, slowNames } from "./slow-names.ts";

/** Limits and usage of the account's keys without their secrets, with one request for a hundred keys. */
export const discoveryCollector: Collector = {
  name: "discovery",
  schedule: "discovery",
  families: Object.values(families),
  lastSuccess: families.lastSuccess,
  jobs: (config, { directory } = createCollectorContext()) => {
    const { analytics, discovery } = config;
    const workspaces = discovery?.workspaces.map(nameOf) ?? [];
    directory.use(analytics ? accountIdentity(analytics, config.gateway) : "", workspaces);
    if (!analytics || !discovery) return [];
    return discovery.workspaces.map((workspace) =>
      listingJob(workspace, { config, analytics, discovery, directory }),
    );
  },
};

interface Context {
  readonly config: Config;
  readonly analytics: AnalyticsConfig;
  readonly discovery: DiscoveryConfig;
  readonly directory: KeyDirectory;
}

function listingJob(workspace: string | undefined, context: Context): Job {
  const { config, analytics, discovery } = context;
  const name = nameOf(workspace);
  const labels = { workspace: name };
  const keys = configuredKeys(config);
  const reservedNames = new Map(keys.map(({ name: key, secret }) => [key, identityOf(secret)]));
  return {
    id: targetId("discovery", name),
    title: `the list of keys of workspace "${name}"`,
    name,
    endpoint: "account",
    requests: 2,
    minIntervalMs: 0,
    identity: accountIdentity(analytics, config.gateway),
    fingerprint: JSON.stringify([
      ...[...discovery.include, discovery.owner ?? "", ...discovery.exclude].map(String),
      ...reservedNames,
      ...keys.map(({ limit }) => limit),
    ]),
    constants: [],
    reservedNames,
    run: async (client, askedAtMs) => {
      await readElsewhere(config);
      const answer = await client.accountKeys(workspace, analytics.managementKey);
      return listed(name, answer, context, askedAtMs);
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
  askedAtMs: number,
): Promise<Result> {
  const { discovery, directory, config } = context;
  const { failure } = answer;
  const { keys, excluded, unreadableRows, rowProblem, isComplete } = await wantedKeys(answer, discovery);
  const plain = await inParts(keys, (key) => plainKey(key, discovery));
  const named = directory.named(workspace, plain, namesOf(config), isComplete);
  const limits = new Map(config.keys.flatMap(({ name, limit }) => (limit ? [[name, limit] as const] : [])));
  const elsewhere = new Set(config.part?.elsewhere.map((key) => key.name));
  const listing = { workspace, askedAtMs, limits, elsewhere };
  const members = await inParts(named.keys, (key) => listedMembers(key, listing));
  const labels = { workspace };
  return {
    samples: [
      ...sample(families.keys, labels, keys.length),
      ...sample(families.excluded, labels, excluded),
      ...sample(families.unreadable, labels, unreadableRows),
    ],
    members: { members: members.flat(), proves: failure ? "nothing" : isComplete ? "all" : "expired" },
    failure: failure && asGatewayError(failure),
    concealedLabels: plain.filter(({ isConcealed }) => isConcealed).length,
    warning: warningOf(rowProblem, named.beyond),
  };
}

function warningOf(rowProblem: string | undefined, beyond: number): string | undefined {
  const warnings = [
    ...(rowProblem === undefined ? [] : [`some keys cannot be read (the first: ${rowProblem})`]),
    ...(beyond === 0 ? [] : [`${beyond} keys are not shown, because no more than ${MOST_LISTED_KEYS} are`]),
  ];
  return warnings.length > 0 ? warnings.join("; ") : undefined;
}

/** A key with its names and the owner in its name, and whether its name reveals a secret. */
export function plainKey(key: AccountKey, { owner }: Pick<DiscoveryConfig, "owner">) {
  const isConcealed = holdsSecret(key.name);
  const label = shownLabel(labelText(key.name));
  const plain = isConcealed ? "" : plainName(key.name);
  return { key, isConcealed, label, owner: ownerOf(key.name, owner), plain };
}

/** The owner that a pattern finds in the name of a key. */
function ownerOf(name: string, pattern: RegExp | undefined): Owner {
  const groups = pattern?.exec(matchedPart(name))?.groups;
  if (!groups) return NO_OWNER;
  const group = (label: string) => (groups[label] === undefined ? "" : shownLabel(labelText(groups[label])));
  return { team: group("team"), project: group("project"), costCenter: group("cost_center") };
}

const NO_OWNER: Owner = { team: "", project: "", costCenter: "" };

/** The keys of a list that `include` and `exclude` let be shown, and what is wrong with the list. */
export async function wantedKeys(answer: AccountKeys, discovery: DiscoveryConfig) {
  const { keys: all, moved, failure } = answer;
  const names = all.map(({ name }) => name);
  const slow = await slowNames(names, discovery);
  const readable = all.filter(({ name }) => !slow.has(name));
  const wanted = await inParts(readable, (key) => (isWanted(key.name, discovery) ? [key] : []));
  const keys = wanted.flat();
  const unreadableRows = answer.unreadableRows + all.length - readable.length;
  return {
    keys,
    excluded: readable.length - keys.length,
    unreadableRows,
    rowProblem: answer.rowProblem ?? (slow.size > 0 ? SLOW : undefined),
    isComplete: failure === undefined && !moved && unreadableRows === 0,
  };
}

const SLOW = "name: the patterns of discovery take too long with it";

function isWanted(name: string, { include, exclude }: DiscoveryConfig): boolean {
  const text = matchedPart(name);
  const matches = (pattern: RegExp) => pattern.test(text);
  return (include.length === 0 || include.some(matches)) && !exclude.some(matches);
}

/** The names of configured keys, which listed ones cannot have. */
export function namesOf(config: Pick<Config, "keys" | "part">): Names {
  const keys = configuredKeys(config);
  const configured = new Map<string, string[]>();
  for (const { name, secret } of keys) {
    const hash = secret.hash?.();
    if (hash !== undefined) configured.set(hash, [...(configured.get(hash) ?? []), name]);
  }
  return { taken: new Set(keys.map(({ name }) => name)), configured };
}

function asGatewayError(error: Error): GatewayError {
  return error instanceof GatewayError
    ? error
    : new GatewayError("bad_response", error.message, { cause: error });
}
