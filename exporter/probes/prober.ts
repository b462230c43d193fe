import type { ProbingConfig } from "../config/config.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { FamilyHeader } from "../metrics/render/exposition.ts";
import type { Sample } from "../metrics/family.ts";
import { probeFamilies } from "./families.ts";
import { targetOf } from "./probe-board.ts";
import { createProbeRunner, type ProbeRunner, type ProbeRunnerDependencies } from "./probe-runner.ts";
import { spendSamples } from "./probe-samples.ts";
import { createSpendReader } from "./spend-reader.ts";

/** Runs the probes of a configuration on their schedules, never at the start, within what they may spend. */
export interface Prober {
  start(): void;
  /** Goes on by another configuration: a probe that keeps its schedule keeps its place in it. */
  adopt(next: ProbingConfig | undefined): void;
  /** Aborts what is under way. */
  stop(): void;
  /** What all probes spend, for the store to derive. */
  sources(): ReadonlyMap<string, () => readonly Sample[]>;
  /** The longest time between two runs of any probe, milliseconds. */
  intervalMs(): number;
}

export interface ProberDependencies extends Omit<ProbeRunnerDependencies, "limits" | "reader" | "signal"> {
  readonly gateway: ProbeRunnerDependencies["gateway"] & Pick<Gateway, "readKey">;
}

export function createProber(initial: ProbingConfig | undefined, dependencies: ProberDependencies): Prober {
  const { clock, store, guard, records } = dependencies;
  const aborter = new AbortController();
  const { signal } = aborter;
  const reader = createSpendReader({ ...dependencies, probes: () => probing?.probes ?? [], signal });
  const own = { ...dependencies, reader, signal, limits: () => probing ?? NO_SPEND };
  let probing = initial;
  let started = false;
  let parts: ReadonlyMap<string, Part> = new Map();
  show();

  function show(): void {
    const previous = parts;
    const next = new Map<string, Part>();
    for (const probe of probing?.probes ?? []) {
      const schedule = JSON.stringify(probe.schedule);
      const before = previous.get(probe.name);
      if (before?.schedule === schedule) {
        before.runner.adopt(probe);
        next.set(probe.name, before);
        continue;
      }
      const runner = createProbeRunner(probe, own);
      if (started) runner.start();
      next.set(probe.name, { schedule, runner });
    }
    for (const [name, part] of previous) if (next.get(name) !== part) part.runner.stop();
    for (const name of records.names()) {
      if (next.has(name)) continue;
      records.remove(name);
      store.remove(targetOf(name));
    }
    parts = next;
  }

  function learnSpend(): void {
    // Whoever waits for it is told; a stop is the only failure.
    reader.known().catch(() => {});
  }

  return {
    start: () => {
      started = true;
      for (const { runner } of parts.values()) runner.start();
      learnSpend();
    },
    adopt: (next) => {
      probing = next;
      show();
      if (started) learnSpend();
    },
    stop: () => {
      for (const { runner } of parts.values()) runner.stop();
      aborter.abort(new Error("The exporter stops"));
    },
    sources: () =>
      new Map([["probe-spend", () => (probing ? spendSamples(probing, guard, clock.now()) : [])]]),
    intervalMs: () => Math.max(0, ...[...parts.values()].map(({ runner }) => runner.intervalMs)),
  };
}

/** Probes have schedules of their own, so that their HELP names no interval. */
export const PROBE_HEADERS: readonly FamilyHeader[] = Object.values(probeFamilies).map((family) => ({
  family,
  help: family.help,
}));

interface Part {
  readonly schedule: string;
  readonly runner: ProbeRunner;
}

const NO_SPEND = { ceilingCredits: 0, maxCostCredits: 0 };
