import { isDeepStrictEqual } from "node:util";
import { budgetSources } from "./budgets/budget-samples.ts";
import { budgetStatus } from "./budgets/budget-status.ts";
import { budgetFamilies } from "./budgets/families.ts";
import { collectorGroups, collectorHeaders, keysElsewhere } from "./collectors/collector-groups.ts";
import { createCollectorContext } from "./collectors/collector-context.ts";
import type { Config } from "./config/config.ts";
import type { WebSource } from "./config/web/web-config.ts";
import { createGateway as createHttpGateway, requestLimits } from "./gateway/gateway.ts";
import type { CreateGateway, Gateway } from "./gateway/port.ts";
import { countDrops } from "./http/connections.ts";
import { createRoutes, type Lifecycle } from "./http/routes.ts";
import { createServer as createHttpServer, type ListenAddress } from "./http/server.ts";
import { createLineLimiter, type LineLimiter, type Log } from "./log.ts";
import { type Build, createAppMetrics } from "./metrics/app-metrics.ts";
import { createPacking } from "./metrics/render/block.ts";
import { type FamilyHeader, renderNow } from "./metrics/render/exposition.ts";
import type { Deflate } from "./metrics/render/gzip.ts";
import { createPublisher } from "./metrics/render/publisher.ts";
import { createSelfRegistry } from "./metrics/self-registry.ts";
import { selfFamilies } from "./metrics/self-families.ts";
import { probeFamilies } from "./probes/families.ts";
import { createProbes } from "./probes/probes.ts";
import { createSpendWatch } from "./probes/spend-watch.ts";
import { createReadings } from "./readings/readings.ts";
import { createEngine } from "./schedule/engine.ts";
import { registerEngineMetrics } from "./schedule/engine-metrics.ts";
import { createEventLog } from "./schedule/event-log.ts";
import type { Plan } from "./schedule/plan.ts";
import { createPollReporters } from "./schedule/poll-reporter.ts";
import { createPast } from "./status/past.ts";
import { createStatusPage } from "./status/status-page.ts";
import type { Clock } from "./time/clock.ts";
import { createTicker as createClockTicker, type CreateTicker } from "./time/ticker.ts";

/** The dependencies of the exporter. */
export interface AppDependencies {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly build: Build;
  readonly listen: readonly ListenAddress[];
  readonly telemetryPath: string;
  /** If absent, the exporter serves plain HTTP to everyone. */
  readonly web?: WebSource | undefined;
  /** Maximum number of concurrent scrapes; 0 is unlimited. */
  readonly maxRequests?: number;
  /** The hosts for which requests are served, without port; empty or absent: any. */
  readonly allowedHosts?: readonly string[];
  /** If absent, reload over HTTP is disabled. */
  readonly lifecycle?: Lifecycle;
  /** For tests, because node-cron only knows the machine's clock. */
  readonly createTicker?: CreateTicker;
  /** The adapter of the gateway; HTTP unless given. */
  readonly createGateway?: CreateGateway;
  /** The server of the routes; HTTP unless given. */
  readonly createServer?: typeof createHttpServer;
  /** Compresses rendered texts; in threads unless given. */
  readonly deflate?: Deflate;
}

export interface App {
  /** Listens, then begins to poll. @throws ListenError if the server cannot listen on every address. */
  start(): Promise<void>;
  /** Ends everything that start began, in reverse. */
  stop(): Promise<void>;
  /**
   * Applies another configuration: targets in both keep their values, removed targets are withdrawn. When the promise
   * resolves, every request in progress belongs to the new one. Undefined: the new configuration is invalid;
   * nothing changes except the metric that reports the failure.
   */
  apply(config: Config | undefined): Promise<void>;
  /** Polls every target once without listening. */
  once(): Promise<SinglePoll>;
  /** The addresses that it listens on, `http://127.0.0.1:9853`. */
  readonly urls: () => readonly string[];
  /** The first of them. */
  readonly url: () => string;
}

export interface SinglePoll {
  /** In the text format. */
  readonly exposition: string;
  /** Whether a poll succeeded. */
  readonly isUseful: boolean;
}

/** A target that cannot be polled must not keep the exporter out of service for ever. */
const READY_AFTER_MS = 30_000;

const NO_LIFECYCLE: Lifecycle = { isEnabled: false, reload: () => Promise.resolve([]) };

/** Each probe has its own schedule, and a budget is as old as its sources, so their HELP texts name no interval. */
const CONSTANT_HEADERS: readonly FamilyHeader[] = [budgetFamilies, probeFamilies]
  .flatMap((families) => Object.values(families))
  .map((family) => ({ family, help: family.help }));

/**
 * The whole wiring. The engine runs the jobs of collectors and probes (ticker → run queue → permit → gateway) into
 * the readings; the publisher renders the readings; the server sends the published bytes.
 */
export function createApp(initial: Config, dependencies: AppDependencies): App {
  const { clock, random, log, build, listen, telemetryPath, web, maxRequests, allowedHosts } = dependencies;
  const { lifecycle = NO_LIFECYCLE, createTicker = createClockTicker, deflate } = dependencies;
  const { createGateway = createHttpGateway, createServer = createHttpServer } = dependencies;
  const [startedMs, started] = [clock.now(), clock.monotonic()];
  let config = initial;
  const registry = createSelfRegistry(clock);
  const requests = registry.counter(selfFamilies.upstreamRequests);
  const onAnswer = (endpoint: string, code: string) => requests.inc({ endpoint, code });
  let gateway = newGateway(initial);
  const readings = createReadings(clock, createPacking(), () => seriesLimit(config, engine.isLingering()));
  const [events, limiter] = [createEventLog(log, clock), createLineLimiter(log, clock)];
  const probes = createProbes({ clock, log, events, registry, readings });
  const context = createCollectorContext(readings, clock);
  const reporterOf = createPollReporters(registry, log, events);
  const engine = createEngine(planOf(initial), { clock, random, log, createTicker, readings });
  const spendWatch = createSpendWatch({ clock, log, probes, ask: (id) => engine.ask(id) });
  const headers = () => [...collectorHeaders((name) => engine.intervalMs(name)), ...CONSTANT_HEADERS];
  const onRenderError = logged(limiter, "Cannot render the metrics");
  const publisher = createPublisher(readings, headers, clock, onRenderError, deflate);
  registerEngineMetrics(registry, engine);
  const metrics = createAppMetrics(registry, build, { config: () => config, readings, web });
  metrics.reloaded(true, startedMs);
  derive();

  const past = createPast({ clock, readings });
  const sources = { clock, readings, budgetStatus, probes, ...past, listed: context.directory.listed };
  const about = () => ({ version: build.version, startedMs, failedReloadMs: metrics.failedReloadMs() });
  const routes = createRoutes({
    telemetryPath,
    publisher,
    self: registry,
    lifecycle,
    page: createStatusPage(() => config, about, telemetryPath, sources),
    isReady: () => clock.monotonic() - started >= READY_AFTER_MS || engine.isAttempted(),
  });
  const server = createServer(listen, routes, logged(limiter, "Cannot answer a request"), {
    web,
    maxRequests,
    allowedHosts,
    onDrop: countDrops(registry),
    onRefusal: (what, address) => limiter.write("warn", `refused ${what}`, { address }, `Refused a ${what}`),
  });

  function newGateway(next: Config): Gateway {
    return createGateway(next.gateway, { clock, random, version: build.version, onAnswer });
  }

  function planOf(next: Config): Plan {
    const { connections, maxPauseMs } = next.gateway;
    return {
      gateway,
      limits: { perMinute: requestLimits(next.gateway), connections, maxPauseMs },
      groups: [...collectorGroups(next, reporterOf, context), ...probes.configure(next)],
      isElsewhere: keysElsewhere(next),
    };
  }

  function derive(): void {
    const budgets = budgetSources(config.budgets, { readings, clock, log });
    readings.derive(new Map([...budgets, ...probes.sources()]));
  }

  function onChange(): void {
    publisher.changed();
    spendWatch.readingsChanged();
  }

  async function apply(next: Config): Promise<void> {
    const former = gateway;
    if (!isDeepStrictEqual(next.gateway, config.gateway)) gateway = newGateway(next);
    const applied = engine.apply(planOf(next));
    config = next;
    derive();
    await applied;
    if (former !== gateway) await former.close();
    publisher.changed();
  }

  return {
    start: async () => {
      await server.start();
      publisher.changed();
      engine.start(onChange);
      for (const each of [spendWatch, past]) each.start();
    },
    stop: async () => {
      for (const each of [publisher, spendWatch, past]) each.stop();
      await Promise.all([engine.stop().then(() => gateway.close()), server.stop()]);
      for (const bounded of [events, limiter]) bounded.flush();
    },
    apply: async (next) => {
      if (next) await apply(next);
      metrics.reloaded(next !== undefined, clock.now());
    },
    once: async () => {
      await engine.runAll();
      publisher.stop();
      // The published text may be a second old.
      const { text } = renderNow(headers(), readings.view().blocks);
      const exposition = `${text}${(await registry.render("text")).toString()}`;
      return { exposition, isUseful: readings.ids().some((id) => readings.status(id)?.up === true) };
    },
    urls: server.urls,
    url: server.url,
  };
}

/** Keys that another shard polls now may need the room that they had, so the limit of all shards applies meanwhile. */
function seriesLimit(config: Config, isLingering: boolean): number {
  return config.seriesLimit * (isLingering ? (config.part?.total ?? 1) : 1);
}

/** Logs unexpected errors, of which each request may cause one. */
function logged(limiter: LineLimiter, message: string): (error: unknown) => void {
  return (error) => limiter.write("error", message, { error: String(error) }, message);
}
