import type { Config, Owner } from "../config/config.ts";
import type { UsageFilter } from "../gateway/port.ts";
import { type ReportAmounts, sumOf, totalAmounts } from "./amounts.ts";
import { answerProblems, listed, quoted } from "./answer-problems.ts";
import { type KeyProblem, type KnownKey, knownKeys } from "./known-keys.ts";
import type { PartialSpend, PricedWindow, ReportGateway, ReportLine } from "./report.ts";

/** The labels of an owner. */
export const OWNER_LABELS = ["team", "project", "cost_center"] as const;
export type OwnerLabel = (typeof OWNER_LABELS)[number];

/**
 * Prepares the spend by a label of the owner: the keys are those that have it now. Keys without it belong to
 * no line.
 */
export async function ownedSpend(
  label: OwnerLabel,
  config: Pick<Config, "keys" | "discovery">,
  gateway: ReportGateway,
): Promise<(part: PricedWindow) => Promise<PartialSpend>> {
  const { hashes, problems } = await hashesByOwner(label, config, gateway);
  return async ({ window, price }) => {
    const found: string[] = [];
    const computed: number[] = [];
    const amountsOf = async (filters: readonly UsageFilter[], name: string): Promise<ReportAmounts> => {
      const question = { range: window, pairs: false, total: true, rates: false, filters };
      const usage = await gateway.usage(question, name);
      if (usage.warnings > 0)
        found.push(`the gateway does not know all keys of ${quoted(name)}, so amounts may be missing`);
      found.push(...answerProblems(usage, name));
      if (usage.computedAtMs !== undefined) computed.push(usage.computedAtMs);
      return totalAmounts(usage.total, price);
    };
    const lines: ReportLine[] = [];
    for (const [name, own] of hashes) {
      const parts: ReportAmounts[] = [];
      for (let first = 0; first < own.length; first += MOST_VALUES) {
        parts.push(await amountsOf([isOneOf(own.slice(first, first + MOST_VALUES))], name));
      }
      lines.push({ name, ...sumOf(parts) });
    }
    const total = await amountsOf([], "the account");
    const computedAtMs = computed.length === 0 ? undefined : Math.min(...computed);
    return { lines, total, computedAtMs, problems: [...problems, ...found] };
  };
}

/** The most values that a filter may have (contract 2.2). */
const MOST_VALUES = 1000;

function isOneOf(values: readonly string[]): UsageFilter {
  return { dimension: "api_key_id", operator: "in", values, withUnset: false };
}

interface Owned {
  readonly hashes: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly string[];
}

/** The hashes of each owner's keys, both configured and listed. */
async function hashesByOwner(
  label: OwnerLabel,
  config: Pick<Config, "keys" | "discovery">,
  gateway: ReportGateway,
): Promise<Owned> {
  const known = await knownKeys(config, gateway);
  const hashes = new Map<string, string[]>();
  const problems = known.problems.map(problemText);
  for (const [hash, twins] of Map.groupBy(known.keys, (key) => key.hash)) {
    const [name = "", ...others] = new Set(twins.map(({ owner }) => labelOf(owner, label)));
    if (others.length > 0) problems.push(twinsText(twins, label));
    else if (name !== "") hashes.set(name, [...(hashes.get(name) ?? []), hash]);
  }
  return { hashes, problems };
}

/** A secret with two names in the configuration may have two owners; its spend cannot be divided between them. */
function twinsText(twins: readonly KnownKey[], label: OwnerLabel): string {
  const names = listed(twins.map(({ name }) => quoted(name)));
  return `the keys ${names} have the same secret but not the same ${label.replace("_", " ")}, so their spend is part of the rest`;
}

function problemText(problem: KeyProblem): string {
  return "key" in problem
    ? `the secret of key "${problem.key}" cannot be read, so its spend is part of the rest`
    : `the list of keys of workspace ${quoted(problem.workspace)} is incomplete`;
}

function labelOf({ team, project, costCenter }: Owner, label: OwnerLabel): string {
  return { team, project, cost_center: costCenter }[label];
}
