import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { ROOT } from "../support/repository.ts";
import { until } from "../support/until.ts";
import { startProgram } from "../soak/child-program.ts";
import { makeApp } from "./app.ts";
import { type AttackedExporter, startAttackedExporter } from "./attacked-exporter.ts";
import { runEndings } from "./endings.ts";
import { analyticsIntervalS, faultsAfter, scrape } from "./exposition.ts";
import { createJudge } from "./judge.ts";
import { type Kind, KINDS, LANES } from "./kind.ts";
import { createLauncher } from "./launcher.ts";
import { ProgramMessage } from "./messages.ts";
import { createRandom, shuffled } from "./random.ts";
import { type AttackResult, newResult } from "./result.ts";
import { createSetting, INTERVAL_S } from "./setting.ts";
import type { AttackOptions, Stage } from "./stage.ts";

/**
 * Runs the exporter in its own process, attacks it from three sides, and watches the bounds with an honest client. A
 * quiet part at the beginning and at the end is included. An exporter that ends or hangs is started again.
 */
export async function runAttack(options: AttackOptions, signal: AbortSignal): Promise<AttackResult> {
  const random = createRandom(options.seed);
  const result = newResult(options.seed, memoryLimit(), options.kinds ?? KINDS);
  const judge = createJudge(result);
  const programs = ["gateway", "client", "watcher"].map((name, index) =>
    startProgram(`${import.meta.dirname}/${name}-program.ts`, { seed: options.seed + index }),
  );
  const addresses: string[] = [];
  for (const program of programs) {
    program.onMessage((sent) => {
      const message = ProgramMessage.parse(sent);
      if (message.type === "listening") addresses.push(message.address);
      else judge.take(message);
    });
  }
  await until(
    "the attackers",
    () => addresses.length,
    (count) => count === programs.length,
    { timeoutMs: START_MS },
  );
  const setting = createSetting(addresses.find((address) => address !== "") ?? "");
  const app = join(setting.directory, "app");
  makeApp(app, options.app);
  const start = (port: number) => startAttackedExporter(setting, port, judge.line, app);
  let restarting: Promise<void> | undefined;
  const stage: Stage = {
    options,
    result,
    judge,
    setting,
    random,
    exporter: await start(0),
    order: (order) => {
      for (const program of programs) program.send(order);
    },
    restart: () => {
      restarting ??= restarted(stage, start).finally(() => (restarting = undefined));
      return restarting;
    },
    isRestarting: () => restarting !== undefined,
  };
  try {
    presented(stage);
    await act(stage, signal);
    return result;
  } finally {
    result.endedMs = Date.now();
    await stage.exporter.kill();
    for (const program of programs) await program.stop();
    setting.remove();
  }
}

async function restarted(stage: Stage, start: (port: number) => Promise<AttackedExporter>): Promise<void> {
  const port = Number(new URL(stage.exporter.url).port);
  stage.judge.excuse(true);
  await stage.exporter.kill();
  for (let tries = 1; ; tries++) {
    stage.setting.restore();
    try {
      stage.exporter = await start(port);
      break;
    } catch (error) {
      // The attack of the disk goes on, and may have broken the files again.
      if (tries === 10) throw error;
    }
  }
  presented(stage);
}

function presented({ exporter: { url, pid }, order, judge, result }: Stage): void {
  result.starts += 1;
  judge.excuse(false);
  order({ type: "target", url, pid });
}

async function act(stage: Stage, signal: AbortSignal): Promise<void> {
  const { options, result, random, judge } = stage;
  const quietMs = Math.max(QUIET_MS, Math.min(60_000, options.lengthMs / 10));
  const watch = setInterval(() => judge.memory(stage.exporter.peakBytes()), 100);
  const stopGuard = guarded(stage);
  try {
    await pause(quietMs, signal);
    const attackMs = options.lengthMs - 2 * quietMs;
    const launcher = createLauncher(stage);
    const byLane = LANES.map((lane) => [...result.stories.keys()].filter((kind) => kind.lane === lane));
    const endMs = Date.now() + attackMs;
    if (options.isAlone === true) await launcher.runAlone([...result.stories.keys()], signal);
    else await Promise.all(byLane.map((kinds) => attackLane(kinds, endMs, random, launcher.run, signal)));
    await recover(stage, quietMs, signal);
    await runEndings(stage, launcher, options.lengthMs > 5 * 60_000 ? Infinity : 1, stopGuard);
  } finally {
    clearInterval(watch);
    stopGuard();
  }
}

/** On a machine that has much else to do. */
const START_MS = 120_000;

/** Two intervals of keys, and of queries at the rate of their endpoint, must fit. */
const QUIET_MS = 12_000;

/** The attacks of one lane, one after another and in another order each time. */
async function attackLane(
  kinds: readonly Kind[],
  endMs: number,
  random: () => number,
  run: (kind: Kind, ms: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const ms = Math.min(10_000, Math.max(700, (endMs - Date.now()) / Math.max(1, kinds.length)));
  while (kinds.length > 0 && Date.now() < endMs && !signal.aborted) {
    for (const kind of shuffled(kinds, random)) {
      const left = endMs - Date.now();
      if (left > 500 && !signal.aborted) await run(kind, Math.min(ms, left), signal);
    }
    if (endMs - Date.now() <= 500) return;
  }
}

/** Waits until everything is right, for two intervals at most. */
async function recover(stage: Stage, quietMs: number, signal: AbortSignal): Promise<void> {
  const { setting, exporter, result, judge } = stage;
  setting.restore();
  const endedMs = Date.now();
  exporter.signal("SIGHUP");
  let faults: readonly string[] = ["no answer"];
  const mostMs = 2000 * Math.max(INTERVAL_S, analyticsIntervalS(await scrape(exporter.url))) + GRACE_MS;
  while (faults.length > 0 && Date.now() < endedMs + mostMs + judge.starvedMs(endedMs) && !signal.aborted) {
    await pause(250, signal);
    const values = await scrape(stage.exporter.url);
    faults = values ? faultsAfter(values, Date.now(), endedMs) : ["no answer"];
  }
  if (faults.length === 0) result.recoveredAfterMs = Date.now() - endedMs;
  else if (!signal.aborted)
    judge.breach("recovery", `${faults.length} faults after ${mostMs} ms: ${faults.slice(0, 4).join("; ")}`);
  await pause(quietMs - (Date.now() - endedMs), signal);
}

/** A request that began before the end of the attack ends by its time limit. */
const GRACE_MS = 2500;
const HANGS_MS = 20_000;

/** Starts an exporter again that has ended, or that answers nobody. */
function guarded(stage: Stage): () => void {
  const look = async (): Promise<void> => {
    const { exporter, judge } = stage;
    const end = exporter.end();
    const silentMs = Date.now() - judge.answeredMs();
    if (stage.isRestarting() || (end === undefined && silentMs < HANGS_MS)) return;
    const text = end === undefined ? `it answered nobody for ${silentMs} ms` : `it ended with ${end}`;
    judge.breach("lives", text, Date.now() - 1000);
    await stage.restart();
  };
  const timer = setInterval(() => void look(), 200);
  return () => clearInterval(timer);
}

const Resources = z.object({
  config: z.object({
    resources: z.object({ default: z.object({ limits: z.object({ memory: z.string() }) }) }),
  }),
});

/** The memory limit that the deployment sets, in bytes. */
function memoryLimit(): number {
  const text = readFileSync(join(ROOT, "Pulumi.yaml"), "utf8");
  const { memory } = Resources.parse(parse(text)).config.resources.default.limits;
  const mebibytes = /^(\d+)Mi$/.exec(memory)?.[1];
  if (mebibytes === undefined) throw new Error(`Cannot read the memory limit "${memory}": want Mi`);
  return Number(mebibytes) * 2 ** 20;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, ms));
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
    if (signal.aborted) resolve();
  });
}
