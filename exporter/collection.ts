import { isDeepStrictEqual } from "node:util";
import { budgetSources } from "./budgets/budget-sources.ts";
import { budgetFamilies } from "./budgets/families.ts";
import type { Clock } from "./time/clock.ts";
import type { Collector, Target } from "./collectors/collector.ts";
import { collectors } from "./collectors/index.ts";
import type { Config, ScheduleExpression } from "./config/config.ts";
import { FAILURE_REASONS } from "./gateway/errors.ts";
import type { Log } from "./log.ts";
import type { FamilyHeader } from "./metrics/render/exposition.ts";
import { selfFamilies } from "./metrics/self-families.ts";
import type { SelfRegistry } from "./metrics/self-registry.ts";
import type { Store } from "./readings/store.ts";
import type { ProbeMemory } from "./probes/probe-memory.ts";
import { createProber, PROBE_HEADERS } from "./probes/prober.ts";
import { describeTarget } from "./schedule/poller.ts";
import { createRounds, type Rounds } from "./schedule/rounds.ts";
import type { Statuses } from "./readings/statuses.ts";
import type { CreateTimetable } from "./time/timetable.ts";
import { createUpstream } from "./upstream.ts";

/** All that follows from a configuration and polls the gateway by it. */
export interface Collection {
  start(): void;
  stop(): Promise<void>;
  /**
   * Goes on by another configuration: what was not changed keeps its values, its place in the schedule and the poll that
   * is under way. False: it is of another gateway, or of one that is to be asked in another way; that needs a new collection.
   */
  adopt(next: Config): boolean;
  /** Polls every target once, at the pace's speed. */
  pollAll(): Promise<void>;
  /** Whether every target was polled once, successful or not. */
  isAttempted(): boolean;
  /** The families with their HELP, which tells how often they are polled. */
  readonly headers: readonly FamilyHeader[];
  /** Of each collector that has targets, seconds. */
  lag(): ReadonlyMap<string, number>;
  interval(): ReadonlyMap<string, number>;
  /** Seconds since the epoch, by endpoint. */
  throttledUntil(): ReadonlyMap<string, number>;
}

export interface CollectionDependencies {
  readonly clock: Clock;
  /** Of the exporter. */
  readonly version: string;
  readonly random: () => number;
  readonly log: Log;
  readonly store: Store;
  readonly statuses: Statuses;
  readonly self: SelfRegistry;
  readonly probeMemory: ProbeMemory;
  readonly createTimetable: CreateTimetable;
  readonly onChange: () => void;
}

export function createCollection(initial: Config, dependencies: CollectionDependencies): Collection {
  const { clock, random, log, store, statuses, self } = dependencies;
  const { gateway, pace, poller, perMinute, ...upstream } = createUpstream(initial.gateway, {
    ...dependencies,
    intervalMs: (endpoint) => {
      if (endpoint === "transcription") return prober.intervalMs();
      const asking = parts.filter(({ collector }) => collector.endpoint === endpoint);
      return Math.max(0, ...asking.map(({ rounds }) => rounds.intervalMs()));
    },
  });
  let parts: readonly Part[] = collectors.map((collector) => {
    const targets = collector.targets(initial);
    const expression = initial.schedule[collector.schedule];
    const timetable = dependencies.createTimetable(expression, clock, log);
    const own = { clock, random, poller, statuses };
    const bounds = {
      requestsPerMinute: perMinute[collector.endpoint],
      connections: initial.gateway.connections,
    };
    const rounds = createRounds(collector, targets, timetable, bounds, own);
    return { collector, targets, expression, rounds };
  });
  const gatewayUrl = initial.gateway.baseUrl;
  const probing = { ...dependencies, ...dependencies.probeMemory, gateway, gatewayUrl, pace };
  const prober = createProber(initial.probing, probing);
  let headers = headersOf(parts);
  let started = false;
  const polled = () => parts.filter(({ targets }) => targets.length > 0);
  const all = () => parts.flatMap(({ targets }) => targets);
  show(initial);

  /** Shows the targets and budgets of a configuration and withdraws all others; what is known already stays. */
  function show(config: Config): void {
    const ids = new Set(all().map(({ id }) => id));
    for (const id of statuses.ids()) {
      if (ids.has(id)) continue;
      poller.cancel(id);
      statuses.remove(id);
      store.remove(id);
    }
    for (const target of all()) describeTarget(target, store, statuses);
    const budgets = budgetSources(config.budgets, (target) => statuses.get(target), clock);
    store.derive(new Map([...budgets, ...prober.sources()]));
    for (const { collector } of polled()) initialise(self, collector);
  }

  function adopt(next: Config): boolean {
    if (!isDeepStrictEqual(next.gateway, initial.gateway)) return false;
    const previous = parts;
    parts = parts.map((part) => {
      const { collector } = part;
      return { ...part, targets: collector.targets(next), expression: next.schedule[collector.schedule] };
    });
    prober.adopt(next.probing);
    show(next);
    for (const [index, part] of parts.entries()) {
      const before = previous[index];
      if (before) proceed(before, part);
    }
    headers = headersOf(parts);
    return true;
  }

  function proceed(before: Part, { rounds, targets, expression }: Part): void {
    const isScheduled = isDeepStrictEqual(expression, before.expression);
    const timetable = isScheduled ? undefined : dependencies.createTimetable(expression, clock, log);
    const wasPolled = before.targets.length > 0;
    if (wasPolled && targets.length === 0) rounds.stop();
    rounds.adopt(targets, timetable);
    if (started && !wasPolled && targets.length > 0) rounds.start();
  }

  const byCollector = (seconds: (rounds: Rounds) => number) =>
    new Map(polled().map(({ collector, rounds }) => [collector.name, seconds(rounds)]));

  return {
    start: () => {
      started = true;
      for (const { rounds } of polled()) rounds.start();
      prober.start();
    },
    stop: async () => {
      for (const { rounds } of polled()) rounds.stop();
      prober.stop();
      await upstream.stop();
    },
    adopt,
    pollAll: async () => {
      await Promise.all(polled().map(({ rounds }) => rounds.pollAll()));
    },
    isAttempted: () => all().every(({ id }) => statuses.get(id)?.attempted),
    get headers() {
      return headers;
    },
    lag: () => byCollector((rounds) => rounds.lagMs() / 1000),
    interval: () => byCollector((rounds) => rounds.intervalMs() / 1000),
    throttledUntil: () => new Map([...pace.throttledUntil()].map(([endpoint, ms]) => [endpoint, ms / 1000])),
  };
}

interface Part {
  readonly collector: Collector;
  readonly targets: readonly Target[];
  readonly expression: ScheduleExpression;
  readonly rounds: Rounds;
}

/** Counters that are known to exist begin at 0 instead of being missing. */
function initialise(self: SelfRegistry, { name: collector }: Collector): void {
  self.counter(selfFamilies.polls).inc({ collector }, 0);
  self.counter(selfFamilies.refusedAnswers).inc({ collector }, 0);
  self.histogram(selfFamilies.pollDuration).zero({ collector });
  const failures = self.counter(selfFamilies.pollFailures);
  for (const reason of FAILURE_REASONS) failures.inc({ collector, reason }, 0);
}

/** Budgets are as old as what they are made of, so their HELP names no interval. */
const BUDGET_HEADERS: readonly FamilyHeader[] = Object.values(budgetFamilies).map((family) => ({
  family,
  help: family.help,
}));

function headersOf(parts: readonly Part[]): readonly FamilyHeader[] {
  return [...parts.flatMap(headersOfPart), ...BUDGET_HEADERS, ...PROBE_HEADERS];
}

/** A cached metric says so in its HELP, with the interval and the family that tells its age. */
function headersOfPart({ collector, rounds }: Part): readonly FamilyHeader[] {
  const cadence = `Polled every ${rounds.intervalMs() / 1000} s; see ${collector.lastSuccess.name}.`;
  return collector.families.map((family) => ({
    family,
    help: family === collector.lastSuccess ? family.help : `${family.help} ${cadence}`,
  }));
}
