import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";

import { type App, type AppDependencies, createApp } from "../../exporter/app.ts";
import type { Config } from "../../exporter/config/config.ts";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { deflateNow } from "../../exporter/metrics/render/gzip.ts";
import { statusSchema } from "../../exporter/status/json/schema.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../gateway/gateway.ts";
import { createManualClock, type ManualClock } from "./clock.ts";
import { type ExporterFiles, readConfig, writeExporterFiles } from "./exporter-files.ts";
import { createRecordingLog, type LogLine } from "./log.ts";
import { seriesOfText, type SeriesMap } from "./series.ts";

/** The exporter in the test's own process, on a manual clock. */
export interface RunningApp {
  /** Changes after a restart. */
  readonly url: string;
  readonly clock: ManualClock;
  readonly files: ExporterFiles;
  /** Its log lines, unless the test passed its own log. */
  readonly lines: readonly LogLine[];
  /** The series of `/metrics` now. */
  series(): Promise<SeriesMap>;
  /**
   * The series of `/metrics` after they match the condition. A new answer is published a moment later; until then the
   * clock advances by a second at a time, within the bounds of `patience`.
   * Fails when they are exhausted.
   */
  seriesWhen(isWanted: (series: SeriesMap) => boolean, patience?: Partial<Patience>): Promise<SeriesMap>;
  /** The body at a path; the status page by default. */
  page(path?: string): Promise<string>;
  /** The answer of `/api/v1/status`. */
  status(): Promise<z.infer<typeof statusSchema>>;
  /** Changes the configuration file and applies it, as a reload does. */
  apply(change: Partial<ConfigFileInput>): Promise<void>;
  /** Replaces the exporter with another one that has the same files and an empty memory. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface Patience {
  /** Maximum number of seconds of the clock. */
  readonly seconds: number;
  /** Number of scrapes in each second: more if the clock must not run ahead of a busy machine. */
  readonly looks: number;
}

/** A few seconds of the clock, each as long in real time as a rendering may take. */
export const SOON: Patience = { seconds: 6, looks: 200 };

/** The exporter beside a simulated gateway, both on one clock. */
export interface TestApp extends RunningApp {
  readonly gateway: Gateway;
}

export interface TestAppOptions {
  /** The initial time of both clocks: epoch milliseconds or ISO 8601. */
  readonly start?: number | string;
  readonly gateway?: (clock: ManualClock) => GatewayOptions;
  /** Fills the gateway's world before the exporter starts. The keys that exist afterwards are configured. */
  readonly prepare?: (gateway: Gateway) => void;
  /** The configured keys; all by default. */
  readonly keys?: readonly string[];
  /** Whether the exporter gets the management key. */
  readonly analytics?: boolean;
  /** Differences from the minimal configuration. */
  readonly content?: (gateway: Gateway) => Partial<ConfigFileInput>;
  readonly log?: AppDependencies["log"];
}

/** Starts a simulated gateway and the exporter that polls it. The first polls follow when time passes. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const clock = createManualClock(options.start);
  const gateway = createGateway({
    now: () => clock.now(),
    startAt: clock.now(),
    ...options.gateway?.(clock),
  });
  await gateway.start();
  options.prepare?.(gateway);
  const files = writeExporterFiles({
    url: gateway.url,
    tokens: new Map([...gateway.tokens].filter(([name]) => options.keys?.includes(name) ?? true)),
    ...(options.analytics && { managementToken: gateway.managementToken }),
    ...(options.content && { content: options.content(gateway) }),
  });
  const app = await run(files, clock, options.log, async () => {
    files.remove();
    await gateway.stop();
  });
  return Object.assign(app, { gateway });
}

/** Starts the exporter that the files describe, with the gateway that they name. The files outlive it. */
export function startAppFrom(
  files: ExporterFiles,
  clock: ManualClock = createManualClock(),
  log?: AppDependencies["log"],
): Promise<RunningApp> {
  return run(files, clock, log, () => Promise.resolve());
}

async function run(
  files: ExporterFiles,
  clock: ManualClock,
  log: AppDependencies["log"] | undefined,
  afterStop: () => Promise<void>,
): Promise<RunningApp> {
  const recording = createRecordingLog();
  const create = async (): Promise<App> => {
    const created = createTestApp(await readConfig(files), { clock, log: log ?? recording.log });
    await created.start();
    return created;
  };
  let app = await create();
  const series = async (): Promise<SeriesMap> => seriesOfText(await fetchText(`${app.url()}/metrics`));
  return {
    get url() {
      return app.url();
    },
    clock,
    files,
    lines: recording.lines,
    series,
    seriesWhen: (isWanted, patience) => seriesWhen(series, clock, isWanted, { ...DEFAULT, ...patience }),
    page: (path = "/") => fetchText(app.url() + path),
    status: async () => statusSchema.parse(JSON.parse(await fetchText(`${app.url()}/api/v1/status`))),
    apply: async (change) => {
      files.write(change);
      await app.apply(await readConfig(files));
    },
    restart: async () => {
      await app.stop();
      app = await create();
    },
    stop: async () => {
      await app.stop();
      await afterStop();
    },
  };
}

/** Creates the app with the defaults of all tests: a free port, a jitter of one half, and no thread that compresses in real time. */
export function createTestApp(
  config: Config,
  dependencies: Pick<AppDependencies, "clock" | "log"> & Partial<AppDependencies>,
): App {
  return createApp(config, {
    random: () => 0.5,
    build: { version: "0.0.0", revision: "test", nodeVersion: process.version },
    listen: [{ host: "127.0.0.1", port: 0 }],
    telemetryPath: "/metrics",
    deflate: (text) => Promise.resolve(deflateNow(text)),
    ...dependencies,
  });
}

const DEFAULT: Patience = { seconds: 10, looks: 1 };

/** For what no clock knows: sockets and threads. */
const REAL_PAUSE_MS = 5;

async function seriesWhen(
  look: () => Promise<SeriesMap>,
  clock: ManualClock,
  isWanted: (series: SeriesMap) => boolean,
  { seconds, looks }: Patience,
): Promise<SeriesMap> {
  let series = await look();
  if (isWanted(series)) return series;
  for (let left = seconds; left > 0; left--) {
    await clock.runTo(clock.now() + 1000);
    for (let again = looks; again > 0; again--) {
      await delay(REAL_PAUSE_MS);
      series = await look();
      if (isWanted(series)) return series;
    }
  }
  throw new Error(`Cannot wait longer than ${seconds} s of the clock until ${String(isWanted)}`);
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot fetch "${url}": ${response.status}: ${text}`);
  return text;
}
