import { z } from "zod";
import type { DiscoveryConfig } from "./config.ts";
import { flag, isNot, list, read, refuse, section, UUID } from "./field.ts";
import { quote } from "./quote.ts";

const PATTERN_RULE = "a regular expression";
const WORKSPACE_RULE = "a UUID";
const OWNER_GROUPS = ["team", "project", "cost_center"] as const;
const OWNER_RULE = `a regular expression with some of the groups ${OWNER_GROUPS.join(", ")}`;

/** Matches of longer patterns may take long. */
const LONGEST_PATTERN = 256;

function parsePattern(written: string): RegExp | undefined {
  try {
    return written === "" || written.length > LONGEST_PATTERN ? undefined : new RegExp(written, "u");
  } catch {
    return undefined;
  }
}

const namePattern = () => read(PATTERN_RULE, "pattern", parsePattern);

const owner = z
  .string({ error: ({ input }) => isNot(OWNER_RULE, input) })
  .transform((written, context): RegExp => {
    const parsed = parsePattern(written);
    if (!parsed) return refuse(context, isNot(OWNER_RULE, written));
    const groups = [...written.matchAll(/\(\?<([A-Za-z_]\w*)>/g)].map(([, name]) => name);
    const unknown = groups.find((name) => !OWNER_GROUPS.some((known) => known === name));
    if (unknown !== undefined)
      return refuse(
        context,
        `${quote(written)} has the unknown group ${quote(unknown)}; it must be ${OWNER_RULE}`,
      );
    return groups.length > 0 ? parsed : refuse(context, isNot(OWNER_RULE, written));
  })
  .meta({ rule: OWNER_RULE, type: "pattern" });

const workspace = () =>
  read(WORKSPACE_RULE, "UUID", (written) => (UUID.test(written) ? written.toLowerCase() : undefined));

/** The section `discovery`. */
export const discoverySection = section({
  enabled: flag().prefault(true).describe("Whether the keys of the account are listed."),
  workspaces: list(workspace())
    .prefault([])
    .describe("Workspaces whose keys are listed. Without any, the default workspace."),
  include: list(namePattern())
    .prefault([])
    .describe("Only keys whose name matches one of these are shown. Without any, all keys."),
  exclude: list(namePattern()).prefault([]).describe("Keys whose name matches one of these are not shown."),
  owner: owner
    .optional()
    .describe("Finds the owner of a listed key in its name, for example `^(?<team>[a-z]+)-`."),
});

/** What the section means; undefined: no keys are listed. Without the section they are listed if `isDefault`. */
export function discoveryConfig(
  written: z.output<typeof discoverySection> | undefined,
  isDefault: boolean,
): DiscoveryConfig | undefined {
  if (!(written?.enabled ?? isDefault)) return undefined;
  const workspaces = [...new Set(written?.workspaces)];
  return {
    workspaces: workspaces.length > 0 ? workspaces : [undefined],
    include: written?.include ?? [],
    exclude: written?.exclude ?? [],
    owner: written?.owner,
  };
}
