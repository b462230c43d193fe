import { standingOf } from "./budgets/standing.ts";
import type { Clock } from "./time/clock.ts";
import { type Collection, createCollection } from "./collection.ts";
import type { Config } from "./config/config.ts";
import type { WebSource } from "./config/web/web-config.ts";
import { createRoutes } from "./http/routes.ts";
import { MAX_REQUESTS } from "./http/limits.ts";
import type { Lifecycle } from "./http/routes.ts";
import { createServer, type ListenAddress } from "./http/server.ts";
import type { Log } from "./log.ts";
import { renderNow } from "./metrics/render/exposition.ts";
import { createPublisher } from "./metrics/render/publisher.ts";
import { selfFamilies as families } from "./metrics/self-families.ts";
import { createSelfRegistry } from "./metrics/self-registry.ts";
import { createStore } from "./readings/store.ts";
import { createOverview, type OverviewDependencies } from "./status/overview.ts";
import { createProbeMemory } from "./probes/probe-memory.ts";
import { createStatuses } from "./readings/statuses.ts";
import { createTimetable, type CreateTimetable } from "./time/timetable.ts";

export interface Build {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** Everything that the exporter takes from outside. */
export interface AppDependencies {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly build: Build;
  readonly listen: ListenAddress;
  readonly telemetryPath: string;
  /** Without it everybody is served over plain HTTP. */
  readonly web?: WebSource | undefined;
  /** Scrapes answered at once; 0 is unlimited. */
  readonly maxRequests?: number;
  /** Without it nobody can reload by HTTP. */
  readonly lifecycle?: Lifecycle;
  /** For tests: node-cron knows the machine's clock only. */
  readonly createTimetable?: CreateTimetable;
}

export interface App {
  /** Listens, then begins to poll. Rejects when the address cannot be listened on. */
  start(): Promise<void>;
  /** Ends everything that start began, in reverse. */
  stop(): Promise<void>;
  /**
   * Goes on with another configuration: what is in both keeps its values, what is gone is withdrawn. Undefined: the new
   * one is bad; everything stays as it is, and a metric says so.
   */
  reload(config: Config | undefined): Promise<void>;
  /** Polls every target once without listening, and returns the exposition in the text format. */
  once(): Promise<string>;
  /** Where it listens, `http://127.0.0.1:9853`. */
  readonly url: () => string;
}

/** A target that cannot be polled must not keep the exporter out of service for ever. */
const READY_AFTER_MS = 30_000;

const NO_LIFECYCLE: Lifecycle = { isEnabled: false, reload: () => Promise.resolve([]) };

/**
 * The whole wiring. The collection polls (timetable → rounds → poller → collector → gateway) into the store; the
 * publisher renders the store; the server copies what is published.
 */
export function createApp(initial: Config, dependencies: AppDependencies): App {
  const {
    clock,
    log,
    build,
    telemetryPath,
    web,
    lifecycle = NO_LIFECYCLE,
    maxRequests = MAX_REQUESTS,
  } = dependencies;
  const [startedMs, started] = [clock.now(), clock.monotonic()];
  let config = initial;
  const store = createStore(clock, () => config.seriesLimit);
  const statuses = createStatuses(clock);
  const probeMemory = createProbeMemory(startedMs, () => config.probing);
  const self = createSelfRegistry(clock);
  const { version, revision, nodeVersion } = build;
  self.gauge(families.buildInfo).set({ version, revision, nodeversion: nodeVersion }, 1);
  self.gauge(families.keys, () => [[{}, config.keys.length]]);
  self.gauge(families.series, () => [[{}, store.series]]);
  self.gauge(families.seriesLimit, () => [[{}, config.seriesLimit]]);
  self.gauge(families.webUpToDate, () => (web ? [[{}, Number(web.isUpToDate())]] : []));
  self.gauge(families.pollLag, () => byLabel(collection.lag(), (collector) => ({ collector })));
  self.gauge(families.pollInterval, () => byLabel(collection.interval(), (collector) => ({ collector })));
  self.gauge(families.throttledUntil, () =>
    byLabel(collection.throttledUntil(), (endpoint) => ({ endpoint })),
  );
  self.gauge(families.creditValue, () => {
    const { creditValue } = config;
    return creditValue ? [[{ currency: creditValue.currency }, creditValue.value]] : [];
  });
  const reloadSuccessful = self.gauge(families.reloadSuccessful);
  const reloadSuccess = self.gauge(families.reloadSuccess);
  const publisher = createPublisher(
    store,
    () => collection.headers,
    clock,
    (error) => log.error({ error: String(error) }, "Cannot render the metrics"),
  );
  const collect = (next: Config): Collection =>
    createCollection(next, {
      ...dependencies,
      version: build.version,
      createTimetable: dependencies.createTimetable ?? createTimetable,
      store,
      statuses,
      self,
      probeMemory,
      onChange: publisher.changed,
    });
  let collection = collect(config);

  // Until the store keeps readings, the page shows states and budgets, but no values of keys and queries.
  const known: OverviewDependencies = {
    readings: {
      status: (id) => {
        const status = statuses.get(id);
        return status && { ...status, warning: status.doubt };
      },
      shown: () => undefined,
      latest: () => undefined,
    },
    budgetStatus: (budget, _readings, nowMs) => ({
      ...standingOf(budget, (target) => statuses.get(target), nowMs),
      gaps: undefined,
    }),
    probes: {
      record: (name) => probeMemory.records.get(name),
      spentToday: () => probeMemory.guard.spent(clock.now()),
    },
  };
  const overview = () =>
    createOverview(config, known, { version: build.version, nowMs: clock.now(), startedMs });
  const isReady = () => clock.monotonic() - started >= READY_AFTER_MS || collection.isAttempted();
  const routes = createRoutes({ telemetryPath, publisher, self, overview, isReady, lifecycle });
  const server = createServer(
    dependencies.listen,
    routes,
    (error) => log.error({ error: String(error) }, "Cannot answer a request"),
    { web, maxRequests },
  );
  loaded();

  function loaded(): void {
    reloadSuccessful.set({}, 1);
    reloadSuccess.set({}, clock.now() / 1000);
  }

  return {
    start: async () => {
      await server.start();
      publisher.changed();
      collection.start();
    },
    stop: async () => {
      publisher.stop();
      await Promise.all([collection.stop(), server.stop()]);
    },
    reload: async (next) => {
      if (!next) {
        reloadSuccessful.set({}, 0);
        return;
      }
      const previous = collection;
      config = next;
      if (!previous.adopt(next)) {
        // What is under way at the other gateway must not be taken for an answer of this one.
        await previous.stop();
        collection = collect(next);
        collection.start();
      }
      publisher.changed();
      loaded();
    },
    once: async () => {
      await collection.pollAll();
      publisher.stop();
      // What is published may be a second old.
      const { text } = renderNow(collection.headers, store.view().blocks);
      return `${text}${(await self.render("text")).toString()}`;
    },
    url: server.url,
  };
}

function byLabel<Labels>(
  values: ReadonlyMap<string, number>,
  labelsOf: (name: string) => Labels,
): readonly (readonly [Labels, number])[] {
  return [...values].map(([name, value]) => [labelsOf(name), value]);
}
