import type { Kind } from "./kind.ts";

/** What must hold at all times, in the order of the report. */
export const BOUNDS = {
  lives: "the process lives",
  answers: "/-/healthy and /metrics answer with 200 within 1 s",
  memory: "resident memory stays below the limit of the container",
  secrets: "no secret leaves the process",
  entry: "nothing gets in: no refused reload, no debugger, no credential to another server",
  honest: "keys that are not attacked show the gateway's values",
  log: "the log stays below 100 lines a minute",
  recovery: "everything is right within two intervals after the attack",
  end: "SIGTERM ends the process within 8 s",
} as const;
export type Bound = keyof typeof BOUNDS;

/** What came of one attack. */
export interface Story {
  readonly kind: Kind;
  /** Counts by what the attacker saw. */
  readonly seen: Map<string, number>;
  /** Counts of failed polls by reason. */
  readonly reasons: Map<string, number>;
  readonly broken: Set<Bound>;
  worstMs: number;
  peakBytes: number;
}

export interface Breach {
  readonly atMs: number;
  readonly text: string;
  /** The attacks at that time. */
  readonly during: readonly string[];
}

/** The observations of a run. */
export interface AttackResult {
  readonly seed: number;
  readonly startedMs: number;
  endedMs: number;
  readonly limitBytes: number;
  readonly stories: Map<Kind, Story>;
  /** The first breaches of each bound, and how many there were. */
  readonly breaches: Map<Bound, { count: number; readonly first: Breach[] }>;
  /** Milliseconds by path. */
  readonly latencies: Map<string, number[]>;
  peakBytes: number;
  /** The largest values of the exporter's own metrics about memory, by name. */
  readonly memory: Map<string, number>;
  logLines: number;
  /** How many lines of the log have the same words, without names and numbers. */
  readonly shapes: Map<string, number>;
  /** The most lines in a minute. */
  busiestMinute: number;
  starts: number;
  /** Milliseconds from the end of the attack until everything was right. */
  recoveredAfterMs: number | undefined;
  readonly endings: { readonly attacks: string; readonly ms: number; readonly end: string }[];
}

export function newResult(seed: number, limitBytes: number, kinds: readonly Kind[]): AttackResult {
  return {
    seed,
    limitBytes,
    startedMs: Date.now(),
    endedMs: Date.now(),
    stories: new Map(
      kinds.map((kind) => [
        kind,
        { kind, seen: new Map(), reasons: new Map(), broken: new Set(), worstMs: 0, peakBytes: 0 },
      ]),
    ),
    breaches: new Map(),
    latencies: new Map(),
    peakBytes: 0,
    memory: new Map(),
    logLines: 0,
    shapes: new Map(),
    busiestMinute: 0,
    starts: 0,
    recoveredAfterMs: undefined,
    endings: [],
  };
}

const MOST_EXAMPLES = 12;

/** Notes that a bound was broken while these attacks ran. */
export function note(result: AttackResult, bound: Bound, text: string, during: readonly Story[]): void {
  const known = result.breaches.get(bound) ?? { count: 0, first: [] };
  result.breaches.set(bound, known);
  known.count += 1;
  for (const { broken } of during) broken.add(bound);
  if (known.first.length >= MOST_EXAMPLES) return;
  known.first.push({ atMs: Date.now(), text, during: during.map(({ kind }) => kind.name) });
}

export function isKept(result: AttackResult): boolean {
  return result.breaches.size === 0;
}
