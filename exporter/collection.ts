import { budgetSources } from "./budgets/budget-sources.ts";
import { budgetFamilies } from "./budgets/families.ts";
import type { Clock } from "./clock.ts";
import type { Collector, Target } from "./collectors/collector.ts";
import { collectors } from "./collectors/index.ts";
import type { Config } from "./config/config.ts";
import { FAILURE_REASONS } from "./gateway/errors.ts";
import { createGateway } from "./gateway/gateway.ts";
import type { Log } from "./log.ts";
import type { FamilyHeader } from "./metrics/exposition.ts";
import type { SelfMetrics } from "./metrics/self.ts";
import type { Store } from "./metrics/store.ts";
import { createPace } from "./schedule/pace.ts";
import { createPoller, describeTarget } from "./schedule/poller.ts";
import { createRounds, type Rounds } from "./schedule/rounds.ts";
import type { Statuses } from "./schedule/statuses.ts";
import type { CreateTimetable } from "./schedule/timetable.ts";

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
  readonly random: () => number;
  readonly log: Log;
  readonly store: Store;
  readonly statuses: Statuses;
  readonly self: SelfMetrics;
  readonly createTimetable: CreateTimetable;
  readonly onChange: () => void;
}

/** Requests per minute that the analytics endpoint takes without complaint (observed-behaviour 8). */
const ANALYTICS_PER_MINUTE = 60;

export function createCollection(config: Config, dependencies: CollectionDependencies): Collection {
  const { clock, random, log, store, statuses, self } = dependencies;
  const perMinute = {
    key: config.gateway.requestsPerMinute,
    analytics: ANALYTICS_PER_MINUTE,
    transcription: 0,
  };
  const pace = createPace(clock, {
    perMinute,
    intervalMs: (endpoint) => {
      const asking = parts.filter(({ collector }) => collector.endpoint === endpoint);
      return Math.max(0, ...asking.map(({ rounds }) => rounds.intervalMs()));
    },
    connections: config.gateway.connections,
    maxPauseMs: config.gateway.maxPauseMs,
  });
  const gateway = createGateway(config.gateway, {
    clock,
    random,
    admit: pace.admit,
    onAnswer: (endpoint, code) => self.upstreamRequests.inc({ endpoint, code }),
  });
  const poller = createPoller({ ...dependencies, gateway, pace });
  const parts: readonly Part[] = collectors.map((collector) => {
    const targets = collector.targets(config);
    const timetable = dependencies.createTimetable(config.schedule[collector.schedule], clock, log);
    const pacePerMinute = perMinute[collector.endpoint];
    const rounds = createRounds(collector, targets, timetable, pacePerMinute, {
      clock,
      random,
      poller,
      statuses,
    });
    return { collector, targets, rounds };
  });
  const polled = parts.filter(({ targets }) => targets.length > 0);
  const all = polled.flatMap(({ targets }) => targets);
  adopt(all, store, statuses);
  store.derive(budgetSources(config.budgets, (target) => statuses.get(target), clock));
  for (const { collector } of polled) initialise(self, collector);
  const byCollector = (seconds: (rounds: Rounds) => number) =>
    new Map(polled.map(({ collector, rounds }) => [collector.name, seconds(rounds)]));

  return {
    start: () => {
      for (const { rounds } of polled) rounds.start();
    },
    stop: async () => {
      for (const { rounds } of polled) rounds.stop();
      poller.stop();
      await gateway.close();
    },
    pollAll: async () => {
      await Promise.all(polled.map(({ rounds }) => rounds.pollAll()));
    },
    isAttempted: () => all.every(({ id }) => statuses.get(id)?.attempted),
    headers: [...parts.flatMap(({ collector, rounds }) => headersOf(collector, rounds)), ...BUDGET_HEADERS],
    lag: () => byCollector((rounds) => rounds.lagMs() / 1000),
    interval: () => byCollector((rounds) => rounds.intervalMs() / 1000),
    throttledUntil: () => new Map([...pace.throttledUntil()].map(([endpoint, ms]) => [endpoint, ms / 1000])),
  };
}

interface Part {
  readonly collector: Collector;
  readonly targets: readonly Target[];
  readonly rounds: Rounds;
}

/** Shows the targets of a configuration and withdraws all others; what is known already stays. */
function adopt(targets: readonly Target[], store: Store, statuses: Statuses): void {
  const ids = new Set(targets.map(({ id }) => id));
  for (const id of statuses.ids()) {
    if (ids.has(id)) continue;
    statuses.remove(id);
    store.remove(id);
  }
  for (const target of targets) describeTarget(target, store, statuses);
}

/** Counters that are known to exist begin at 0 instead of being missing. */
function initialise(self: SelfMetrics, { name: collector }: Collector): void {
  self.polls.inc({ collector }, 0);
  self.refusedAnswers.inc({ collector }, 0);
  for (const reason of FAILURE_REASONS) self.pollFailures.inc({ collector, reason }, 0);
}

/** Budgets are as old as what they are made of, so their HELP names no interval. */
const BUDGET_HEADERS: readonly FamilyHeader[] = Object.values(budgetFamilies).map((family) => ({
  family,
  help: family.help,
}));

/** A cached metric says so in its HELP, with the interval and the family that tells its age. */
function headersOf(collector: Collector, rounds: Rounds): readonly FamilyHeader[] {
  const cadence = `Polled every ${rounds.intervalMs() / 1000} s; see ${collector.lastSuccess.name}.`;
  return collector.families.map((family) => ({
    family,
    help: family === collector.lastSuccess ? family.help : `${family.help} ${cadence}`,
  }));
}
