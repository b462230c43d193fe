import { budgetSources } from "./budgets/budget-samples.ts";
import { budgetStatus } from "./budgets/budget-status.ts";
import { budgetFamilies } from "./budgets/families.ts";
import { collectorGroups, collectorHeaders } from "./collectors/collector-groups.ts";
import { createCollectorContext } from "./collectors/collector.ts";
import { historyCollector } from "./collectors/history.ts";
import { type Config, requestLimits } from "./config/config.ts";
import { forecastFamilies } from "./forecast/families.ts";
import { createForecasts } from "./forecast/forecasts.ts";
import { createGateway as createHttpGateway } from "./gateway/gateway.ts";
import type { CreateGateway } from "./gateway/port.ts";
import { createRoutes, type Lifecycle } from "./http/routes.ts";
import { createServer as createHttpServer, type ListenAddress, type ServerOptions } from "./http/server.ts";
import type { Log } from "./log.ts";
import { type Build, createAppMetrics, recordGatewayAnswers } from "./metrics/app-metrics.ts";
import { type Block, createPacking } from "./metrics/render/block.ts";
import type { FamilyHeader } from "./metrics/render/exposition.ts";
import type { Deflate } from "./metrics/render/gzip.ts";
import { createPublisher } from "./metrics/render/publisher.ts";
import { createSelfRegistry } from "./metrics/self-registry.ts";
import { probeFamilies } from "./probes/families.ts";
import { createProbes } from "./probes/probes.ts";
import { createReadings, type Readings } from "./readings/readings.ts";
import { targetId } from "./readings/target-id.ts";
import { createEngine, type Engine, registerEngineMetrics } from "./schedule/engine.ts";
import { createEventLog, type EventLog } from "./schedule/event-log.ts";
import type { Plan } from "./schedule/job.ts";
import { createPollReporters } from "./schedule/poll-reporter.ts";
import { createOverview } from "./status/overview.ts";
import type { Clock } from "./time/clock.ts";

/** The dependencies of the exporter. */
export interface AppDependencies extends Pick<ServerOptions, "web" | "maxRequests" | "allowedHosts"> {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly build: Build;
  readonly listen: readonly ListenAddress[];
  /** Before every path, without a slash at the end; empty or absent: none. */
  readonly routePrefix?: string;
  readonly telemetryPath: string;
  /** If absent, reload over HTTP is disabled. */
  readonly lifecycle?: Lifecycle;
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
const CONSTANT_HEADERS: readonly FamilyHeader[] = [forecastFamilies, budgetFamilies, probeFamilies]
  .flatMap((families) => Object.values(families))
  .map((family) => ({ family, help: family.help }));

/**
 * The whole wiring. The engine runs the jobs of collectors and probes (ticker → run queue → permit → gateway) into
 * the readings; the publisher renders the readings; the server sends the published bytes.
 */
export function createApp(initial: Config, dependencies: AppDependencies): App {
  const { clock, random, log, build, listen, telemetryPath, web, maxRequests, deflate } = dependencies;
  const { allowedHosts, routePrefix, lifecycle = NO_LIFECYCLE } = dependencies;
  const { createGateway = createHttpGateway, createServer = createHttpServer } = dependencies;
  const [startedMs, started] = [clock.now(), clock.monotonic()];
  let config = initial;
  let isStopped = false;
  const registry = createSelfRegistry(clock);
  const onAnswer = recordGatewayAnswers(registry, clock, log);
  let gateway = createGateway(initial.gateway, { clock, random, version: build.version, onAnswer });
  const packing = createPacking();
  const past = { listed: () => context.directory.listed(), isAsked: () => config.analytics !== undefined };
  const forecasts = createForecasts(clock, packing, past);
  const readings = createReadings(clock, packing, () => config.seriesLimit, forecasts);
  const events = createEventLog(log, clock);
  const probes = createProbes({ clock, log, events, registry, readings });
  const context = createCollectorContext(readings, clock);
  const reporterOf = createPollReporters(registry, log, events);
  const engine = createEngine(planOf(initial), { clock, random, log, readings });
  const headers = () => [...collectorHeaders((name) => engine.intervalMs(name)), ...CONSTANT_HEADERS];
  const onRenderError = logged(events, "Cannot render the metrics");
  const publisher = createPublisher(viewsOf(engine, readings), headers, clock, onRenderError, deflate);
  registerEngineMetrics(registry, engine);
  const metrics = createAppMetrics(registry, build, { config: () => config, readings, web });
  metrics.reloaded(true, startedMs);
  log.onDrop?.(metrics.lineDropped);
  derive();

  const sources = { readings, budgetStatus, probes, forecasts, listed: context.directory.listed };
  const routes = createRoutes({
    telemetryPath,
    publisher,
    self: registry,
    lifecycle,
    overview: () => createOverview(config, sources, { ...metrics.about(), nowMs: clock.now(), startedMs }),
    isReady: () => clock.monotonic() - started >= READY_AFTER_MS || engine.isAttempted(),
  });
  const server = createServer(listen, routes, logged(events, "Cannot answer a request"), {
    web,
    maxRequests,
    allowedHosts,
    prefix: routePrefix,
    onDrop: metrics.dropped,
    onRefusal: (what, address) => report(events, "warn", `Refused a ${what}`, { address }),
  });

  function planOf(next: Config): Plan {
    const { connections, maxPauseMs } = next.gateway;
    return {
      gateway,
      limits: { perMinute: requestLimits(next.gateway), connections, maxPauseMs },
      groups: [...collectorGroups(next, reporterOf, context), ...probes.configure(next)],
    };
  }

  function derive(): void {
    const budgets = budgetSources(config.budgets, { readings, clock, log, forecasts });
    const shared = [[targetId("key", "pooled-limits"), context.pooledLimits.samples]] as const;
    readings.derive(new Map([...budgets, ...shared, ...probes.sources()]));
  }

  async function apply(next: Config): Promise<void> {
    const former = gateway;
    if (!isSameGateway(next.gateway, config.gateway)) gateway = gateway.reconfigured(next.gateway);
    if (next.gateway.baseUrl !== config.gateway.baseUrl) forecasts.restart();
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
      engine.start(publisher.changed);
    },
    stop: async () => {
      isStopped = true;
      publisher.stop();
      await Promise.all([engine.stop().then(() => gateway.close()), server.stop()]);
      events.flush();
    },
    apply: async (next) => {
      // A reload may have begun before the stop; it would start the schedules again.
      if (isStopped) return;
      if (next) await apply(next);
      metrics.reloaded(next !== undefined, clock.now());
    },
    once: async () => {
      await engine.apply(withoutHistory(planOf(config)));
      await engine.runAll();
      const text = await (await publisher.current("text")).text();
      publisher.stop();
      const { runtime, own } = await registry.parts("text");
      const exposition = Buffer.concat([...text, runtime.text, own]).toString();
      return { exposition, isUseful: readings.ids().some((id) => readings.status(id)?.up === true) };
    },
    urls: server.urls,
    url: server.url,
  };
}

/** Two secrets are equal if they come from the same file or variable. */
function isSameGateway(one: Config["gateway"], other: Config["gateway"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Views of what may be shown now. */
function viewsOf(engine: Pick<Engine, "expire">, readings: Readings<Block>) {
  return () => {
    engine.expire();
    return readings.view();
  };
}

/** The history is only for the page. */
function withoutHistory(plan: Plan): Plan {
  return { ...plan, groups: plan.groups.filter(({ name }) => name !== historyCollector.name) };
}

/** Logs unexpected errors. */
function logged(events: EventLog, message: string): (error: unknown) => void {
  return (error) => report(events, "error", message, { error: String(error) });
}

/** Logs what each request may cause. */
function report(events: EventLog, level: "error" | "warn", message: string, fields: object): void {
  events.report({ level, cause: message, title: message, name: "", fields, message });
}
