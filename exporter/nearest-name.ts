import { distance } from "fastest-levenshtein";

/** The known name that differs least from a written one; undefined: none is similar. */
export function nearestName(written: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((name) => ({ name, changes: distance(written, name) }))
    .toSorted((one, other) => one.changes - other.changes);
  return nearest && nearest.changes <= Math.max(2, written.length / 3) ? nearest.name : undefined;
}
