import { selfFamilies as families } from "./self-families.ts";
import type { SelfRegistry } from "./self-registry.ts";

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
  readonly web: { isUpToDate(): boolean } | undefined;
}

export interface AppMetrics {
  /** Records that the configuration was loaded, or an invalid one rejected, at this time (epoch milliseconds). */
  reloaded(isSuccessful: boolean, nowMs: number): void;
  /** When the last reload failed; undefined: it succeeded, or there was none. */
  failedReloadMs(): number | undefined;
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
  registry.gauge(families.creditValue, () => {
    const { creditValue } = config();
    return creditValue ? [[{ currency: creditValue.currency }, creditValue.value]] : [];
  });
  const successful = registry.gauge(families.reloadSuccessful);
  const successTime = registry.gauge(families.reloadSuccess);
  const hash = registry.gauge(families.configHash);
  let failedReloadMs: number | undefined;
  return {
    reloaded: (isSuccessful, nowMs) => {
      hash.set({}, config().hash);
      failedReloadMs = isSuccessful ? undefined : nowMs;
      successful.set({}, Number(isSuccessful));
      if (isSuccessful) successTime.set({}, nowMs / 1000);
    },
    failedReloadMs: () => failedReloadMs,
  };
}
