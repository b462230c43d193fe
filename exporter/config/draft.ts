import { z } from "zod";
import { budgetDraft, type BudgetDraft, memberProblems } from "./budgets/draft.ts";
import type { Owned } from "./budgets/members.ts";
import { formatDuration } from "../time/duration.ts";
import { payerProblems, probeDraft, type ProbeDraft, spendProblems } from "./probes/draft.ts";
import { isSecretField, pathText, type Problem } from "./problem.ts";
import { quote } from "./quote.ts";
import { gatewaySection, keySection, ownerSection } from "./schema.ts";

/** What can be read of a file whatever else is wrong with it, so that every problem is found in one go. */
export interface Draft {
  readonly keys: readonly KeyDraft[];
  readonly keysDirectory: string | undefined;
  readonly managementKey: SecretReference | undefined;
  readonly budgets: readonly BudgetDraft[];
  readonly probes: readonly ProbeDraft[];
  /** Rules between fields that are broken. */
  readonly problems: readonly Problem[];
}

export interface KeyDraft {
  readonly name: string | undefined;
  readonly owner: Owned["owner"];
  readonly secret: SecretReference | undefined;
}

/** Where a secret is to be found, as written in one entry of the file. */
export interface SecretReference {
  readonly kind: "file" | "env";
  /** Path of a file, or name of a variable. */
  readonly target: string;
  /** `keys[0].api_key_file`. */
  readonly path: string;
}

export function draftOf(value: unknown): Draft {
  const root = rootDraft.parse(value);
  const problems: Problem[] = [];
  const keys = root.keys.map((entry, index) => ({
    name: textOf(entry?.["name"]),
    owner: ownerOf(entry?.["owner"]),
    secret: entry && secretReference(["keys", index], "api_key", entry, problems),
  }));
  const managementKey =
    root.analytics && secretReference(["analytics"], "management_key", root.analytics, problems);
  const budgets = root.budgets.map((entry, index) => budgetDraft(entry, index, root.analytics !== undefined));
  problems.push(...repeatedNames("keys", keys), ...shortDeadline(root.gateway ?? {}));
  problems.push(...repeatedNames("budgets", budgets), ...budgets.flatMap((budget) => budget.problems));
  const probes = root.probes.map(probeDraft);
  problems.push(...repeatedNames("probes", probes), ...probes.flatMap((probe) => probe.problems));
  problems.push(...spendProblems(probes.length > 0, root.probe_spend));
  // What is in the folder is known only when it is listed.
  if (root.keys_dir === undefined) {
    problems.push(...memberProblems(budgets, namedKeys(keys)), ...payerProblems(probes, namedKeys(keys)));
  }
  if (isEmpty(value)) problems.push({ path: "", message: NOTHING_TO_POLL });
  return { keys, keysDirectory: textOf(root.keys_dir), managementKey, budgets, probes, problems };
}

/** The keys that budgets can be over. */
export function namedKeys(keys: readonly KeyDraft[]): readonly Owned[] {
  return keys.flatMap(({ name, owner }) => (name === undefined ? [] : [{ name, owner }]));
}

const NOTHING_TO_POLL = "there is nothing to poll; set keys, keys_dir or analytics";

type Entry = Readonly<Record<string, unknown>>;

/** A schema that takes everything; what does not fit is undefined. */
const readable = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([schema, z.unknown().transform(() => undefined)]).optional();

const entryDraft = z.record(z.string(), z.unknown());

const gatewayDraft = z.object({
  timeout: readable(gatewaySection.shape.timeout),
  deadline: readable(gatewaySection.shape.deadline),
});

const rootDraft = z.object({
  gateway: readable(gatewayDraft),
  keys: z.array(readable(entryDraft)).catch([]),
  keys_dir: z.unknown().optional(),
  analytics: readable(entryDraft),
  budgets: z.array(z.unknown()).catch([]),
  probes: z.array(z.unknown()).catch([]),
  probe_spend: z.unknown().optional(),
});

function secretReference(
  at: readonly PropertyKey[],
  name: string,
  entry: Entry,
  problems: Problem[],
): SecretReference | undefined {
  const [file, env] = [`${name}_file`, `${name}_env`];
  const given = [file, env].filter((field) => entry[field] !== undefined);
  if (given.length === 2) {
    problems.push({ path: pathText(at), message: `${file} and ${env} exclude each other; keep one of them` });
    return undefined;
  }
  if (given.length === 0) {
    // A secret that stands in the file has a message of its own.
    const holdsSecret = Object.keys(entry).some(isSecretField);
    if (!holdsSecret) problems.push({ path: pathText(at), message: `has no secret; set ${file} or ${env}` });
    return undefined;
  }
  const kind = given[0] === file ? "file" : "env";
  const target = SECRET_FIELDS[kind].safeParse(entry[`${name}_${kind}`]).data;
  return target === undefined ? undefined : { kind, target, path: pathText([...at, `${name}_${kind}`]) };
}

const SECRET_FIELDS = { file: keySection.shape.api_key_file, env: keySection.shape.api_key_env };

function ownerOf(value: unknown): Owned["owner"] {
  const { team, project, cost_center: costCenter } = ownerSection.safeParse(value).data ?? NO_OWNER;
  return { team, project, costCenter };
}

const NO_OWNER = { team: "", project: "", cost_center: "" };

function repeatedNames(
  list: "keys" | "budgets" | "probes",
  entries: readonly { readonly name: string | undefined }[],
): Problem[] {
  const first = new Map<string, number>();
  return entries.flatMap(({ name }, index) => {
    if (name === undefined) return [];
    const before = first.get(name);
    if (before === undefined) {
      first.set(name, index);
      return [];
    }
    return [
      { path: `${list}[${index}].name`, message: `${quote(name)} is the name of ${list}[${before}] already` },
    ];
  });
}

function shortDeadline({ timeout, deadline }: z.output<typeof gatewayDraft>): Problem[] {
  if (timeout === undefined || deadline === undefined || deadline >= timeout) return [];
  return [
    {
      path: "gateway.deadline",
      message: `${formatDuration(deadline)} is shorter than gateway.timeout, ${formatDuration(timeout)}`,
    },
  ];
}

function isEmpty(value: unknown): boolean {
  const keys = rootKeys.safeParse(value);
  if (!keys.success || keys.data.keys_dir !== undefined || keys.data.analytics !== undefined) return false;
  return keys.data.keys === undefined || (Array.isArray(keys.data.keys) && keys.data.keys.length === 0);
}

const rootKeys = z.object({
  keys: z.unknown().optional(),
  keys_dir: z.unknown().optional(),
  analytics: z.unknown().optional(),
});

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
