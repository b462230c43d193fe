import type { Judge, Violation, World } from "./world.ts";

/** Judges by the names of the invariants. */
export type Judges = Readonly<Record<string, (world: World) => Judge>>;

/** The judges of a world. */
export interface Court {
  /** Asks every judge until one finds a violation. */
  judge(verdict: (one: Judge) => readonly string[] | undefined): void;
}

/** `who` begins each message. After the first violation, of whatever court, there are no more. */
export function createCourt(world: World, judges: Judges, found: Violation[], who = ""): Court {
  const named = Object.entries(judges).map(([invariant, create]) => ({ invariant, judge: create(world) }));
  return {
    judge: (verdict) => {
      for (const { invariant, judge } of named) {
        const [message] = found.length > 0 ? [] : (verdict(judge) ?? []);
        if (message !== undefined)
          found.push({ invariant, at: world.time.elapsedMs() / 1000, message: who + message });
      }
    },
  };
}
