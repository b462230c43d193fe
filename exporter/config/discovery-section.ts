import { z } from "zod";
import { broken, flag, isNot, list, refuse, section, uuid } from "./field.ts";
import { quote } from "../secrets/quote.ts";
import { RE2JS } from "re2js";

const PATTERN_RULE = "a regular expression";
const OWNER_GROUPS = ["team", "project", "cost_center"] as const;
const OWNER_RULE = `a regular expression with some of the groups ${OWNER_GROUPS.join(", ")}`;

/** A pattern that is matched in linear time. `faultOf` returns what else is wrong with it. */
function pattern(rule: string, faultOf: (written: string, groups: readonly string[]) => string | undefined) {
  return z
    .string(broken(rule))
    .transform((written, context): NamePattern => {
      const parsed = parseNamePattern(written);
      if (parsed === "invalid") return refuse(context, isNot(rule, written));
      if (parsed === "unsupported") return refuse(context, `${quote(written)} is not supported: ${LINEAR}`);
      const fault = faultOf(written, parsed.groups);
      return fault === undefined ? parsed : refuse(context, fault);
    })
    .meta({ rule, type: "pattern" });
}

const LINEAR = "patterns are those of RE2, which has neither look-around nor back-references";

const namePattern = () => pattern(PATTERN_RULE, () => undefined);

const owner = pattern(OWNER_RULE, (written, groups) => {
  if (groups.length === 0) return isNot(OWNER_RULE, written);
  const unknown = groups.find((name) => !OWNER_GROUPS.some((known) => known === name));
  if (unknown === undefined) return undefined;
  return `${quote(written)} has the unknown group ${quote(unknown)}; it must be ${OWNER_RULE}`;
});

const WORKSPACES_RULE = "all, or a list of UUIDs";

const workspacesField = z
  .union([z.string(), z.array(z.unknown())], broken(WORKSPACES_RULE))
  .transform((written, context): readonly string[] => {
    if (written === "all") return ["all"];
    if (typeof written === "string") return refuse(context, isNot(WORKSPACES_RULE, written));
    const parsed = list(uuid()).safeParse(written);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  })
  .meta({ rule: "`all`, or a list of UUIDs", type: "list" });

/** The section `discovery`. */
export const discoverySection = section({
  enabled: flag().prefault(true).describe("Whether the keys of the account are listed."),
  workspaces: workspacesField
    .prefault([])
    .describe("Workspaces whose keys are listed. Without any, the default workspace; `all` lists every one."),
  include: list(namePattern())
    .prefault([])
    .describe("Only keys whose name matches one of these are shown. Without any, all keys."),
  exclude: list(namePattern()).prefault([]).describe("Keys whose name matches one of these are not shown."),
  owner: owner
    .optional()
    .describe("Finds the owner of a listed key in its name, for example `^(?<team>[a-z]+)-`."),
});

/** What the section means; undefined: no keys are listed. Without the section they are listed if `isDefault`. */
export function discoveryConfig(written: z.output<typeof discoverySection> | undefined, isDefault: boolean) {
  if (!(written?.enabled ?? isDefault)) return undefined;
  const workspaces: readonly (string | undefined)[] = [...new Set(written?.workspaces)];
  return {
    workspaces: workspaces.length > 0 ? workspaces : [undefined],
    include: written?.include ?? [],
    exclude: written?.exclude ?? [],
    owner: written?.owner,
  };
}

/** An undefined workspace is the default one. */
export type DiscoveryConfig = NonNullable<ReturnType<typeof discoveryConfig>>;

/** A regular expression that is matched with names of keys. */
export interface NamePattern {
  readonly written: string;
  /** The names of its groups. */
  readonly groups: readonly string[];
  readonly matches: (name: string) => boolean;
  /** What each named group has matched; undefined: the name does not match. */
  readonly groupsIn: (name: string) => Readonly<Record<string, string | null>> | undefined;
}

/** Why a pattern is refused: it is not a regular expression, or RE2 does not support it. */
export type PatternFault = "invalid" | "unsupported";

/**
 * Parses a regular expression. It is matched in linear time, because anyone who may create keys at the gateway chooses
 * the names.
 */
export function parseNamePattern(written: string): NamePattern | PatternFault {
  if (written === "" || !isExpression(written)) return "invalid";
  try {
    const expression = RE2JS.compile(written);
    return {
      written,
      groups: Object.keys(expression.namedGroups()),
      matches: (name) => expression.test(name),
      groupsIn: (name) => {
        const matcher = expression.matcher(name);
        return matcher.find() ? matcher.getNamedGroups() : undefined;
      },
    };
  } catch {
    return "unsupported";
  }
}

function isExpression(written: string): boolean {
  try {
    return new RegExp(written, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
