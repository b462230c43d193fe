import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { inflateRawSync } from "node:zlib";
import { createRequire } from "node:module";

// oxfmt-ignore: the exporter must come after the line above.
import { type App, createApp } from "../../exporter/app.ts";
import type { Config } from "../../exporter/config/config.ts";
import { loadConfig } from "../../exporter/config/load.ts";
import { createAccountGateway } from "../../exporter/cli/command-gateway.ts";
import { monthOf, type SpendReport } from "../../exporter/reports/report.ts";
import { createSpendReport } from "../../exporter/reports/spend-report.ts";
import { createGateway } from "../../exporter/gateway/gateway.ts";
import type { Connect } from "../../exporter/gateway/http.ts";
import type { Answer, Route } from "../../exporter/http/route.ts";
import type { Deflate } from "../../exporter/metrics/render/gzip.ts";
import { silentLog } from "../support/log.ts";
import { askPast, type WorldBackfill } from "./world-backfill.ts";
import type { WorldClock } from "./world-clock.ts";
import type { WorldFiles } from "./world-files.ts";

/** The exporter of a simulated world: everything but the process, the sockets and the threads. */
export interface WorldExporter {
  /** Reads the configuration again and applies it. Returns whether it was valid. */
  reload(onLoaded: () => void): Promise<boolean>;
  /** Begins without memory, with the configuration that was read last. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The report of the running month by model, as the command makes it; undefined without a management key. */
  report(): Promise<SpendReport | undefined>;
  /** Asks for the past, as the command does; the result writes it. Undefined without a management key. */
  backfill(): Promise<(() => Promise<WorldBackfill>) | undefined>;
  /** The answer at a path: its status and its text. */
  get(path: string, accept?: string): Promise<{ readonly status: number; readonly text: string }>;
}

export interface WorldExporterDependencies {
  readonly time: WorldClock;
  readonly files: WorldFiles;
  readonly connect: Connect;
  readonly random: () => number;
}

/** Reads the configuration. @throws Error if it is invalid. */
export async function createWorldExporter(dependencies: WorldExporterDependencies): Promise<WorldExporter> {
  if (!IS_WITHOUT_RUNTIME_METRICS) throw new Error("Cannot start: the metrics of the process are on");
  const { time, files, connect, random } = dependencies;
  let routes: readonly Route[] = [];
  const load = async () => {
    const loaded = await loadConfig({ path: files.configPath, ...files.files, env: {} });
    return loaded.ok ? loaded.config : new Error(JSON.stringify(loaded.problems));
  };
  const start = async (config: Config): Promise<App> => {
    const app = createApp(config, {
      clock: time.clock,
      random,
      log: silentLog,
      build: { version: "0.0.0", revision: "world", nodeVersion: "v0" },
      listen: [{ host: "127.0.0.1", port: 0 }],
      telemetryPath: "/metrics",
      createGateway: (gateway, needs) => createGateway(gateway, needs, connect),
      createServer: (_listen, served) => {
        routes = served;
        return {
          start: () => Promise.resolve(),
          stop: () => Promise.resolve(),
          urls: () => ["world"],
          url: () => "world",
        };
      },
      deflate,
    });
    await app.start();
    return app;
  };
  const initial = await load();
  if (initial instanceof Error) throw initial;
  let config = initial;
  let app: App | undefined;

  /** Asks about the account as a command does. */
  async function command<Result>(
    ask: (account: ReturnType<typeof createAccountGateway>, nowMs: number) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { analytics } = config;
    if (!analytics) return undefined;
    const { clock } = time;
    const needs = { clock, random, version: "0.0.0", onAnswer: () => {} };
    const gateway = createGateway(config.gateway, needs, connect);
    try {
      return await ask(createAccountGateway(gateway, config, analytics, clock), clock.now());
    } finally {
      await gateway.close();
    }
  }

  return {
    reload: async (onLoaded) => {
      const next = await load();
      if (next instanceof Error) {
        await app?.apply(undefined);
        return false;
      }
      config = next;
      onLoaded();
      await app?.apply(config);
      return true;
    },
    start: async () => {
      app = await start(config);
    },
    stop: async () => {
      await app?.stop();
      app = undefined;
    },
    report: () =>
      command((account, nowMs) => {
        const month = monthOf(new Date(nowMs).toISOString().slice(0, 7));
        if (!month) throw new Error("The clock shows no month");
        return createSpendReport(config, { by: ["model"], period: month }, nowMs, account);
      }),
    backfill: () => command((account, nowMs) => askPast(config, nowMs, account)),
    get: async (path, accept = "text/plain") => {
      const route = routes.find((each) => each.path === path);
      if (!route) throw new Error(`No route ${path}`);
      return contentOf(await route.handle(requestFor(accept)));
    },
  };
}

export const JSON_TYPE = "application/json";

const requests = new Map<string, IncomingMessage>();

/** The same one each time, because a socket is expensive. */
function requestFor(accept: string): IncomingMessage {
  const request = requests.get(accept) ?? new IncomingMessage(new Socket());
  // A thread would compress the JSON.
  request.headers = { accept, "accept-encoding": accept === JSON_TYPE ? "identity" : "gzip" };
  requests.set(accept, request);
  return request;
}

/** The first part of a compressed text was not compressed (`deflate` below). */
function contentOf({ status, headers, body }: Answer): { readonly status: number; readonly text: string } {
  const [first = Buffer.alloc(0), ...rest] = body;
  if (headers["content-encoding"] !== "gzip") return { status, text: Buffer.concat(body).toString() };
  const tail = inflateRawSync(Buffer.concat(rest).subarray(0, -GZIP_TRAILER));
  return { status, text: `${first.toString("utf8", GZIP_HEADER)}${tail.toString()}` };
}

/** Bytes of RFC 1952. */
const [GZIP_HEADER, GZIP_TRAILER] = [10, 8];

/** Does not compress: threads would answer in an order that no seed decides. */
const deflate: Deflate = (text) => {
  // The renderer overwrites the text.
  return Promise.resolve({ deflated: Buffer.from(text), length: text.length, crc: 0, crcShift: 0 });
};

/**
 * Leaves out prom-client's metrics of the process: they come from threads and from timers that never end, and a world
 * has thousands of exporters. Must be called before the exporter is imported.
 */
function withoutRuntimeMetrics(): true {
  Object.assign(createRequire(import.meta.url)("prom-client"), { collectDefaultMetrics: () => {} });
  return true;
}

/** Imported first, so that it comes before the exporter. */
const IS_WITHOUT_RUNTIME_METRICS = withoutRuntimeMetrics();
