/** What the stories of a run contained. */
export interface Coverage {
  count(what: string, times?: number): void;
  readonly counts: ReadonlyMap<string, number>;
}

export function createCoverage(): Coverage {
  const counts = new Map<string, number>();
  return { count: (what, times = 1) => void counts.set(what, (counts.get(what) ?? 0) + times), counts };
}
