import type { Config, Owner } from "../config/config.ts";
import type { Amounts, Usage, UsageFilter } from "../gateway/port.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { pricedAmounts, type ReportAmounts, restOf, sumOf, totalAmounts } from "./amounts.ts";
import { answerProblems, lineProblems, listed, quoted } from "./answer-problems.ts";
import { type KeyProblem, type KnownKey, knownKeys } from "./known-keys.ts";
import type { PartialSpend, PricedWindow, ReportDimension, ReportGateway, ReportLine } from "./report.ts";

/** The labels of an owner. All other dimensions are those of the gateway. */
const OWNER_LABELS = ["team", "project", "cost_center"] as const;
type OwnerLabel = (typeof OWNER_LABELS)[number];

/** Whether the configuration knows the values of a dimension; otherwise the gateway does. */
export function isOwnerLabel(one: ReportDimension): one is OwnerLabel {
  return OWNER_LABELS.some((label) => label === one);
}

/**
 * Prepares the spend by labels of the owner, by dimensions of the gateway, or by one of each: the gateway is asked about
 * the keys of each owner. The keys are those that have the owner now; keys without one belong to no line.
 */
export async function dividedSpend(
  by: readonly ReportDimension[],
  config: Pick<Config, "keys" | "discovery">,
  gateway: ReportGateway,
): Promise<(part: PricedWindow) => Promise<PartialSpend>> {
  const labels = by.filter(isOwnerLabel);
  const dimensions = by.filter((one) => !isOwnerLabel(one));
  const what = by.join(" and ").replaceAll("_", " ");
  const { groups, problems } =
    labels.length === 0
      ? { groups: [{ owners: [], hashes: undefined }], problems: [] }
      : await keysByOwner(labels, config, gateway);

  /** The names in the order of the dimensions. */
  function namesOf(owners: readonly string[], values: readonly (string | null)[]): readonly string[] {
    const [ownersLeft, valuesLeft] = [[...owners], [...values]];
    return by.map((one) =>
      isOwnerLabel(one) ? (ownersLeft.shift() ?? "") : shownLabel(labelText(valuesLeft.shift() ?? "")),
    );
  }

  return async ({ window, price }) => {
    const answers: Usage[] = [];
    const found: string[] = [];
    const ask = async (isDivided: boolean, name: string, filters: readonly UsageFilter[]): Promise<Usage> => {
      const divided = isDivided && dimensions.length > 0 && { dimensions: dimensions.map(wireName) };
      const question = { range: window, pairs: divided !== false, total: true, rates: false, filters };
      const usage = await gateway.usage({ ...question, ...divided }, name);
      answers.push(usage);
      found.push(...answerProblems(usage, filters.length > 0 ? name : "the account"));
      if (usage.warnings > 0)
        found.push(
          filters.length > 0
            ? `the gateway does not know all keys of ${quoted(name)}, so amounts may be missing`
            : "the gateway warns about the query, so amounts may be missing",
        );
      return usage;
    };
    const lines: ReportLine[] = [];
    let account: Usage | undefined;
    for (const { owners, hashes } of groups) {
      const totals: ReportAmounts[] = [];
      for (const filters of filtersOf(hashes)) {
        const usage = await ask(true, filters.length > 0 ? owners.join(", ") : `spend by ${what}`, filters);
        if (filters.length === 0) account = usage;
        totals.push(totalAmounts(usage.total, price));
        for (const { model, app, amounts } of usage.pairs)
          lines.push({ names: namesOf(owners, [model, app]), ...pricedAmounts(usedAmounts(amounts), price) });
      }
      if (dimensions.length === 0) lines.push({ names: namesOf(owners, []), ...sumOf(totals) });
    }
    account ??= await ask(false, "the account", []);
    const total = totalAmounts(account.total, price);
    const unreadable = answers.reduce((sum, { unreadableRows }) => sum + unreadableRows, 0);
    const computed = answers.flatMap(({ computedAtMs }) => computedAtMs ?? []);
    return {
      lines,
      total,
      isUnused: account.total?.empty === true && account.pairs.length === 0,
      computedAtMs: computed.length === 0 ? undefined : Math.min(...computed),
      problems: [
        ...problems,
        ...(answers.some(({ truncated }) => truncated)
          ? ["the gateway has more rows than it sends; they are part of the rest"]
          : []),
        ...(dimensions.length > 0 && unreadable > 0
          ? [`${unreadable} rows cannot be read; they are part of the rest`]
          : []),
        ...found,
        ...(dimensions.length > 0 ? lineProblems(lines, restOf(total, lines), by) : []),
      ],
    };
  };
}

function wireName(dimension: string): string {
  return dimension === "key" ? "api_key_id" : dimension;
}

/** A row without requests has spent nothing, even if the gateway sends no amount. */
function usedAmounts(amounts: Amounts): Amounts {
  return amounts.requests === 0 ? { ...amounts, credits: amounts.credits ?? 0 } : amounts;
}

/** The most values that a filter may have (contract 2.2). */
const MOST_VALUES = 1000;

/** One question for each thousand keys, or one about all of them. */
function filtersOf(hashes: readonly string[] | undefined): readonly (readonly UsageFilter[])[] {
  if (!hashes) return [[]];
  return Array.from({ length: Math.ceil(hashes.length / MOST_VALUES) }, (_, index) => {
    const values = hashes.slice(index * MOST_VALUES, (index + 1) * MOST_VALUES);
    return [{ dimension: "api_key_id", operator: "in", values, withUnset: false }];
  });
}

interface Group {
  /** One name for each label; empty: the keys have none. */
  readonly owners: readonly string[];
  /** Undefined: all keys. */
  readonly hashes: readonly string[] | undefined;
}

/** The hashes of each owner's keys, both configured and listed. */
async function keysByOwner(
  labels: readonly OwnerLabel[],
  config: Pick<Config, "keys" | "discovery">,
  gateway: ReportGateway,
): Promise<{ readonly groups: readonly Group[]; readonly problems: readonly string[] }> {
  const known = await knownKeys(config, gateway);
  const groups = new Map<string, { owners: readonly string[]; hashes: string[] }>();
  const problems = known.problems.map(problemText);
  for (const [hash, twins] of Map.groupBy(known.keys, (key) => key.hash)) {
    const distinct = new Map(
      twins.map(({ owner }) => {
        const owners = labels.map((label) => labelOf(owner, label));
        return [JSON.stringify(owners), owners] as const;
      }),
    );
    const [[id = "", owners = []] = [], ...others] = distinct;
    if (others.length > 0) problems.push(twinsText(twins, labels));
    else if (owners.some((name) => name !== "")) {
      const group = groups.get(id) ?? { owners, hashes: [] };
      group.hashes.push(hash);
      groups.set(id, group);
    }
  }
  return { groups: [...groups.values()], problems };
}

/** A secret with two names in the configuration may have two owners; its spend cannot be divided between them. */
function twinsText(twins: readonly KnownKey[], labels: readonly OwnerLabel[]): string {
  const names = listed(twins.map(({ name }) => quoted(name)));
  const what = labels.join(" and ").replaceAll("_", " ");
  return `the keys ${names} have the same secret but not the same ${what}, so their spend is part of the rest`;
}

function problemText(problem: KeyProblem): string {
  return "key" in problem
    ? `the secret of key "${problem.key}" cannot be read, so its spend is part of the rest`
    : `the list of keys of workspace ${quoted(problem.workspace)} is incomplete`;
}

function labelOf({ team, project, costCenter }: Owner, label: OwnerLabel): string {
  return { team, project, cost_center: costCenter }[label];
}
