import { setTimeout as delay } from "node:timers/promises";
import { ROOT } from "../support/repository.ts";
import { until } from "../support/until.ts";
import { createBookHistory } from "./book-history.ts";
import { type Checker, createChecker } from "./checker.ts";
import { type ChildProgram, startProgram } from "./child-program.ts";
import { GatewayMessage, ScraperMessage } from "./messages.ts";
import { ANALYTICS_INTERVAL_MS, INTERVALS_TO_LIVE, warmUpMs } from "./plan.ts";
import { newResult, type SoakResult } from "./result.ts";
import { createSetting, type Setting } from "./setting.ts";
import { type SoakedExporter, startSoakedExporter } from "./soaked-exporter.ts";

export interface SoakOptions {
  readonly lengthMs: number;
  readonly keys: number;
  readonly intervalMs: number;
  /** The exporter's program; by default the one of this repository. */
  readonly main?: string;
  /** Called from time to time with the observations so far. */
  readonly onProgress?: (result: SoakResult) => void;
}

/**
 * Runs exporter, gateway and scrapers as processes for a while, and compares every shown value with the gateway's
 * books. Ends early if the signal is aborted or the exporter ends.
 */
export async function runSoak(options: SoakOptions, signal: AbortSignal): Promise<SoakResult> {
  const { keys, intervalMs } = options;
  const result = newResult(keys, intervalMs, warmUpMs(intervalMs));
  const history = createBookHistory((INTERVALS_TO_LIVE + 1) * Math.max(intervalMs, ANALYTICS_INTERVAL_MS));
  const setting = createSetting(keys, intervalMs);
  const checker = createChecker(result, history, setting);
  const gateway = startProgram(programPath("gateway"), { directory: setting.directory, keys, intervalMs });
  let gatewayUrl: string | undefined;
  gateway.onMessage((sent) => {
    const message = GatewayMessage.parse(sent);
    if (message.type === "listening") gatewayUrl = message.url;
    else if (message.type === "phase") checker.enter(message.name, message.at);
    else history.take(message);
  });
  const running: { stop(): Promise<unknown> }[] = [gateway];
  try {
    const url = await until(
      "the simulated gateway",
      () => gatewayUrl,
      (seen) => seen !== undefined || gateway.end() !== undefined,
    );
    setting.write(url ?? "");
    const exporter = await startSoakedExporter(
      options.main ?? `${ROOT}/exporter/main.ts`,
      setting.configFile,
    );
    running.unshift(exporter);
    checker.begin();
    const scrapers = startScrapers(exporter, intervalMs, result);
    running.unshift(scrapers);
    await watch(
      { options, result, checker, setting, exporter, programs: [gateway, scrapers], url: url ?? "" },
      signal,
    );
    await scrapers.stop();
    const end = exporter.end() ?? (await exporter.stop());
    if (end !== "exit code 0") result.crashes.add([`the exporter ended with ${end}`]);
    result.unexpectedLines.add(exporter.log.unexpected);
    result.logLines = exporter.log.lines;
    return result;
  } finally {
    for (const each of running) await each.stop();
    setting.remove();
  }
}

interface Soak {
  readonly options: SoakOptions;
  readonly result: SoakResult;
  readonly checker: Checker;
  readonly setting: Setting;
  readonly exporter: SoakedExporter;
  readonly programs: readonly ChildProgram[];
  readonly url: string;
}

/** All times are derived from the poll interval, so that a short soak is a scaled-down long one. */
async function watch(soak: Soak, signal: AbortSignal): Promise<void> {
  const { options, result, exporter, checker, programs } = soak;
  const { intervalMs } = options;
  const ended = () =>
    signal.aborted || exporter.end() !== undefined || programs.some((program) => program.end() !== undefined);
  const jobs = [
    // The ratio of Prometheus' default scrape interval to a poll interval of a minute.
    every(intervalMs / 4, () => checker.check(exporter.url)),
    every(Math.min(2000, intervalMs / 10), () => read(exporter, result)),
    every(RELOAD_AFTER * intervalMs, () => reload(soak)),
    every(60_000, () => options.onProgress?.(result)),
  ];
  const endMs = Date.now() + options.lengthMs;
  while (Date.now() < endMs && !ended()) await delay(100);
  for (const job of jobs) await job.stop();
  result.endedMs = Date.now();
  for (const program of programs) {
    const end = program.end();
    if (end !== undefined) result.crashes.add([`the soak's own program ended with ${end}`]);
  }
}

/** In intervals, so that each reload falls on another point of the plan. */
const RELOAD_AFTER = 3.3;

function read(exporter: SoakedExporter, result: SoakResult): void {
  if (exporter.end() !== undefined) return;
  result.readings.push({
    atMs: Date.now(),
    residentBytes: exporter.residentBytes(),
    openFiles: exporter.openFiles(),
  });
}

async function reload({ setting, exporter, checker, result, url }: Soak): Promise<void> {
  setting.turn(url);
  if (!setting.isAway) checker.setGone([]);
  const refused = await until(
    "the reload",
    async () => (exporter.end() === undefined ? await exporter.reload().catch(String) : undefined),
    // New secrets are written into the folder all the time.
    (answer) => answer === undefined || !answer.includes("reload it when it is complete"),
  );
  if (exporter.end() !== undefined) return;
  if (refused === undefined) result.reloads += 1;
  else result.crashes.add([`a reload failed: ${refused}`]);
  if (setting.isAway) checker.setGone(setting.comersAndGoers);
}

function startScrapers({ url }: SoakedExporter, intervalMs: number, result: SoakResult): ChildProgram {
  const scrapers = startProgram(programPath("scrapers"), { url, intervalMs });
  scrapers.onMessage((sent) => {
    const { scrapes, failures, delays } = ScraperMessage.parse(sent);
    for (const { kind, ms, bytes } of scrapes) {
      const known = result.scrapes.get(kind) ?? { ms: [], bytes: 0 };
      known.ms.push(ms);
      known.bytes = Math.max(known.bytes, bytes);
      result.scrapes.set(kind, known);
    }
    result.failedScrapes.add(failures);
    result.delays.push(...delays);
  });
  return scrapers;
}

function programPath(name: string): string {
  return `${import.meta.dirname}/${name}-program.ts`;
}

interface Job {
  /** Waits for the call in progress; rethrows its failure. */
  stop(): Promise<void>;
}

/** Repeats a call, never twice at once. */
function every(ms: number, act: () => Promise<void> | void): Job {
  const aborter = new AbortController();
  const ended = (async () => {
    while (!aborter.signal.aborted) {
      await delay(ms, undefined, { signal: aborter.signal }).catch(() => {});
      if (!aborter.signal.aborted) await act();
    }
  })();
  // stop() reports the rejection; until then it must not count as unhandled.
  ended.catch(() => {});
  return {
    stop: async () => {
      aborter.abort();
      await ended;
    },
  };
}
