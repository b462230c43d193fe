import { selfFamilies, selfFamilies as families } from "./self-families.ts";
import type { SelfRegistry } from "./self-registry.ts";
import type { Log } from "../log.ts";
import type { Clock } from "../time/clock.ts";

export interface Build {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** The sources of the exporter's metrics, read at each scrape. */
export interface AppState {
  readonly config: () => {
    readonly keys: readonly unknown[];
    readonly seriesLimit: number;
    readonly part?: { readonly ordinal: number; readonly total: number } | undefined;
    readonly creditValue: { readonly currency: string; readonly value: number } | undefined;
    readonly hash: number;
  };
  readonly readings: { readonly series: number };
  /** Undefined: no web configuration is used. */
  readonly web: { isUpToDate(): boolean; certificateEndMs?(): number | undefined } | undefined;
}

export interface AppMetrics {
  /** Records that the configuration was loaded, or an invalid one rejected, at this time (epoch milliseconds). */
  reloaded(isSuccessful: boolean, nowMs: number): void;
  /** The version, and when the last reload failed; undefined: it succeeded, or there was none. */
  about(): { readonly version: string; readonly failedReloadMs: number | undefined };
  /** Counts a connection that was refused. */
  readonly dropped: () => void;
  /** Counts a line of the log that was dropped. */
  readonly lineDropped: () => void;
}

/** The metrics of the exporter as a whole: build, configuration, series. */
export function createAppMetrics(
  registry: SelfRegistry,
  build: Build,
  { config, readings, web }: AppState,
): AppMetrics {
  const { version, revision, nodeVersion } = build;
  registry.gauge(families.buildInfo).set({ version, revision, nodeversion: nodeVersion }, 1);
  registry.gauge(families.keys, () => [[{}, config().keys.length]]);
  registry.gauge(families.shards, () => {
    const { ordinal = 0, total = 1 } = config().part ?? {};
    return [[{ shard: String(ordinal) }, total]];
  });
  registry.gauge(families.series, () => [[{}, readings.series]]);
  registry.gauge(families.seriesLimit, () => [[{}, config().seriesLimit]]);
  registry.gauge(families.webUpToDate, () => (web ? [[{}, Number(web.isUpToDate())]] : []));
  registry.gauge(families.webCertificateEnd, () => {
    const endMs = web?.certificateEndMs?.();
    return endMs === undefined ? [] : [[{}, endMs / 1000]];
  });
  registry.gauge(families.creditValue, () => {
    const { creditValue } = config();
    return creditValue ? [[{ currency: creditValue.currency }, creditValue.value]] : [];
  });
  const successful = registry.gauge(families.reloadSuccessful);
  const successTime = registry.gauge(families.reloadSuccess);
  const hash = registry.gauge(families.configHash);
  const drops = registry.counter(families.droppedConnections);
  drops.inc({}, 0);
  const lines = registry.counter(families.droppedLines);
  lines.inc({}, 0);
  let failedReloadMs: number | undefined;
  return {
    reloaded: (isSuccessful, nowMs) => {
      hash.set({}, config().hash);
      failedReloadMs = isSuccessful ? undefined : nowMs;
      successful.set({}, Number(isSuccessful));
      if (isSuccessful) successTime.set({}, nowMs / 1000);
    },
    about: () => ({ version, failedReloadMs }),
    dropped: () => drops.inc({}),
    lineDropped: () => lines.inc({}),
  };
}

/** Windows begin and end by our clock, and the gateway's answers by its own. */
const MOST_SECONDS = 30;

/**
 * Counts the answers of the gateway, shows how far its clock is from ours, and warns once when that is too far. The time
 * of an answer (epoch milliseconds; NaN or undefined: unknown) has no fractions of seconds.
 */
export function recordGatewayAnswers(
  registry: SelfRegistry,
  clock: Pick<Clock, "now">,
  log: Pick<Log, "warn" | "info">,
): (endpoint: string, code: string, dateMs?: number) => void {
  const requests = registry.counter(selfFamilies.upstreamRequests);
  const gauge = registry.gauge(selfFamilies.gatewayClockDifference);
  let isFar = false;
  return (endpoint, code, dateMs = Number.NaN) => {
    requests.inc({ endpoint, code });
    if (Number.isNaN(dateMs)) return;
    const seconds = Math.round((dateMs - clock.now()) / 1000);
    const warning = clockWarning(dateMs, clock.now());
    gauge.set({}, seconds);
    if ((warning !== undefined) === isFar) return;
    isFar = !isFar;
    if (warning === undefined)
      return log.info({ seconds }, "The clocks of the gateway and of this machine agree again");
    log.warn({ seconds }, warning);
  };
}

/** Why figures may be wrong around midnight, if the clocks differ too much. Not a number: the gateway's is not known. */
export function clockWarning(dateMs = Number.NaN, nowMs = 0): string | undefined {
  const seconds = Math.round((dateMs - nowMs) / 1000);
  if (!(Math.abs(seconds) > MOST_SECONDS)) return undefined;
  const text = `The gateway's clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} that of this machine`;
  return `${text}: windows of days and months may be wrong around midnight. Set the clock of this machine (NTP); if it is right, tell the operator of the gateway`;
}
