import { createContext, Script } from "node:vm";
import type { DiscoveryConfig } from "../config/config.ts";
import { nextTurn } from "../time/turns.ts";

/**
 * Finds the names of keys with which a pattern of the configuration does not end in time. Anyone who can name a key at
 * the gateway would otherwise stop the exporter, because some patterns take years for an unfortunate name. Other work
 * runs in between.
 */
export async function slowNames(
  names: readonly string[],
  { include, exclude, owner }: DiscoveryConfig,
): Promise<ReadonlySet<string>> {
  const slow = new Set<string>();
  const patterns = [...include, ...exclude, ...(owner ? [owner] : [])];
  if (patterns.length === 0) return slow;
  let leftMs = MOST_MS;
  for (let start = 0; start < names.length; start += PART) {
    const part = names.slice(start, start + PART);
    await nextTurn();
    if (areMatchedInTime(part, patterns, PART_LIMIT_MS)) continue;
    for (const name of part) {
      await nextTurn();
      const startedAt = performance.now();
      if (leftMs <= 0 || !areMatchedInTime([name], patterns, NAME_LIMIT_MS)) slow.add(name);
      leftMs -= Math.max(0, performance.now() - startedAt - USUAL_MS);
    }
  }
  return slow;
}

/** The beginning of a name that patterns are matched with. */
export function matchedPart(name: string): string {
  return name.slice(0, LONGEST_MATCHED);
}

const LONGEST_MATCHED = 256;

function areMatchedInTime(names: readonly string[], patterns: readonly RegExp[], timeout: number): boolean {
  context["match"] = () => {
    for (const name of names) for (const pattern of patterns) pattern.test(matchedPart(name));
  };
  try {
    callMatch.runInContext(context, { timeout });
    return true;
  } catch (error) {
    // The error belongs to the context of the script, so it is not an instance of this one's Error.
    const code: unknown = typeof error === "object" && error !== null && "code" in error && error.code;
    if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  }
}

/** Only a script can be interrupted, with all that it calls. */
const context = createContext({});
const callMatch = new Script("match()");

const PART = 50;
const PART_LIMIT_MS = 50;

/** Longer, because a busy machine must not hide a key. */
const NAME_LIMIT_MS = 200;

/** A usual name takes microseconds, and the timer of its script half a millisecond. */
const USUAL_MS = 5;

/**
 * For all names together, beyond the usual time. Afterwards all names of a slow part count as slow, because names that
 * are just in time would take hours if they are many. Several keys may have the same name.
 */
const MOST_MS = 2000;
