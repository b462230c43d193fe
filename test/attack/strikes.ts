import { report } from "./messages.ts";

/** Counts what comes of the attacks of a lane, and reports it a few times a second. */
export function createStrikes(): (lane: string, kind: string, seen: string) => void {
  const counts = new Map<string, { lane: string; kind: string; seen: Record<string, number> }>();
  setInterval(() => {
    for (const { lane, kind, seen } of counts.values()) report({ type: "strikes", lane, kind, seen });
    counts.clear();
  }, 250);
  return (lane, kind, seen) => {
    const id = `${lane} ${kind}`;
    const known = counts.get(id) ?? { lane, kind, seen: {} };
    known.seen[seen] = (known.seen[seen] ?? 0) + 1;
    counts.set(id, known);
  };
}
