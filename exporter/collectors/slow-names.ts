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
  const different = [...new Set(names)];
  let tested = 0;
  for (let start = 0; start < different.length; start += PART) {
    const part = different.slice(start, start + PART);
    await nextTurn();
    if (areMatchedInTime(part, patterns)) continue;
    for (const name of part) {
      await nextTurn();
      if (++tested > MOST_TESTED || !areMatchedInTime([name], patterns)) slow.add(name);
    }
  }
  return slow;
}

/** The beginning of a name that patterns are matched with. */
export function matchedPart(name: string): string {
  return name.slice(0, LONGEST_MATCHED);
}

const LONGEST_MATCHED = 256;

function areMatchedInTime(names: readonly string[], patterns: readonly RegExp[]): boolean {
  context["match"] = () => {
    for (const name of names) for (const pattern of patterns) pattern.test(matchedPart(name));
  };
  try {
    callMatch.runInContext(context, { timeout: LIMIT_MS });
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

/** Usual names take microseconds; the timer of a script takes half a millisecond. */
const LIMIT_MS = 50;
const PART = 50;

/** Names that are tested alone. Beyond them, all names of a slow part count as slow, so that the search ends. */
const MOST_TESTED = 250;
