/** The known name that differs least from a written one; undefined: none is similar. */
export function nearestName(written: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((name) => ({ name, changes: changesBetween(written, name) }))
    .toSorted((one, other) => one.changes - other.changes);
  return nearest && nearest.changes <= Math.max(2, written.length / 3) ? nearest.name : undefined;
}

/** The least number of letters to add, remove or replace. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (row[at - 1] ?? 0) + Number(one[index] !== other[at - 1]);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
