import type { AccountKeys } from "./account-keys.ts";
import type { Books } from "./books.ts";
import { createExporterState } from "./exporter-state.ts";
import { readExposition } from "./exposition.ts";
import { GatewayError } from "../../exporter/gateway/errors.ts";
import { statusSchema } from "../../exporter/status/json/schema.ts";
import { PastError } from "../../exporter/backfill/request-past.ts";
import { createAccountRecovery } from "./invariants/account-recovery.ts";
import { createBackfilled } from "./invariants/backfilled.ts";
import { createBudgets, createBalance, createProbeSpend } from "./invariants/budgets.ts";
import { createHealth } from "./invariants/health.ts";
import { createListedKeys } from "./invariants/listed-keys.ts";
import { createOneAnswer } from "./invariants/one-answer.ts";
import { createOutlook } from "./invariants/outlook.ts";
import { createPoliteness, createTurns } from "./invariants/politeness.ts";
import { createPresence } from "./invariants/presence.ts";
import { createRecovery } from "./invariants/recovery.ts";
import { createReported } from "./invariants/reported.ts";
import { createSums } from "./invariants/sums.ts";
import { createTruth } from "./invariants/truth.ts";
import { createUnwatched } from "./invariants/unwatched.ts";
import { createQuestions, type FaultSchedule } from "./questions.ts";
import type { Settings, Story } from "./story.ts";
import type { Judge, Scrape, StatusJson, Violation, World } from "./world.ts";
import type { WorldClock } from "./world-clock.ts";
import { createWorldExporter, JSON_TYPE } from "./world-exporter.ts";
import type { WorldFiles } from "./world-files.ts";
import { createWorldGateway } from "./world-gateway.ts";
import type { Coverage } from "./calendar.ts";

/** Every invariant by its name. */
const JUDGES: Readonly<Record<string, (world: World) => Judge>> = {
  truth: createTruth,
  presence: createPresence,
  turns: createTurns,
  recovery: createRecovery,
  budgets: createBudgets,
  sums: createSums,
  "listed keys": createListedKeys,
  unwatched: createUnwatched,
  balance: createBalance,
  "account recovery": createAccountRecovery,
  politeness: createPoliteness,
  health: createHealth,
  "one answer": createOneAnswer,
  outlook: createOutlook,
  report: createReported,
  backfill: createBackfilled,
  "probe spend": createProbeSpend,
};

interface JudgedExporterDependencies {
  readonly story: Story;
  readonly time: WorldClock;
  readonly books: Books;
  readonly keys: AccountKeys;
  readonly files: WorldFiles;
  readonly faults: FaultSchedule;
  readonly coverage: Coverage;
  readonly random: () => number;
  /** Makes another judge. */
  readonly observe?: ((world: World) => Judge) | undefined;
}

/** The exporter of a story, whose requests and scrapes are judged by every invariant. */
export interface JudgedExporter {
  start(): Promise<void>;
  reload(change: Partial<Settings>): void;
  /** Replaces it by one without memory. */
  restart(): Promise<void>;
  scrape(inBothFormats: boolean): Promise<void>;
  /** Makes a report, and then a backfill, as the commands do. */
  command(): Promise<void>;
  /** The clock was stepped, or the process resumed. */
  disturbed(at: number): void;
  stop(): Promise<void>;
  /** The first violation. */
  readonly violation: () => Violation | undefined;
}

export async function createJudgedExporter(
  dependencies: JudgedExporterDependencies,
): Promise<JudgedExporter> {
  const { story, time, books, keys, files, coverage } = dependencies;
  let written = story.settings;
  files.write(written);
  const questions = createQuestions();
  const state = createExporterState(written, time);
  const world: World = { ...state, story, time, books, keys, files, questions };
  const all = { ...JUDGES, ...(dependencies.observe && { observer: dependencies.observe }) };
  const judges = Object.entries(all).map(([invariant, create]) => ({ invariant, judge: create(world) }));
  let violation: Violation | undefined;
  let reloads: Promise<unknown> = Promise.resolve();
  let isRunning = false;
  let looks = 0;

  function judge(verdict: (one: Judge) => readonly string[] | undefined): void {
    for (const { invariant, judge: one } of judges) {
      const [message] = violation ? [] : (verdict(one) ?? []);
      if (message !== undefined) violation = { invariant, at: time.elapsedMs() / 1000, message };
    }
  }

  const connect = createWorldGateway({
    ...dependencies,
    questions,
    costMicros: () => (state.settings().probes?.perRun ?? 0) * 1e6,
    // A report is asked for by a command, which has no part in the pace of the exporter.
    onQuestion: (question) => judge((one) => (isRunning ? one.asked?.(question) : undefined)),
  });
  const exporter = await createWorldExporter({ ...dependencies, connect });

  async function reload(): Promise<void> {
    if (!isRunning) return;
    const next = written;
    const end = state.beginReload();
    const isValid = await exporter.reload(() => state.loaded(next));
    end();
    coverage.count(isValid ? "reload" : "reload of an invalid configuration");
  }

  async function start(): Promise<void> {
    await exporter.start();
    isRunning = true;
  }

  async function stop(): Promise<void> {
    isRunning = false;
    await exporter.stop();
  }

  async function readStatus(): Promise<StatusJson> {
    const { status, text } = await exporter.get("/api/v1/status", JSON_TYPE);
    if (status !== 200) throw new Error(`The status is answered with ${status}`);
    return statusSchema.parse(JSON.parse(text));
  }

  async function look(inBothFormats: boolean): Promise<Scrape> {
    const { status, text } = await exporter.get("/metrics");
    if (status !== 200) throw new Error(`The scrape is answered with ${status}`);
    const [ready, healthy] = [await exporter.get("/-/ready"), await exporter.get("/-/healthy")];
    return {
      at: time.elapsedMs(),
      atMs: time.trueMs(),
      text,
      status: looks++ % STATUS_EACH < 2 ? await readStatus() : undefined,
      openMetrics: inBothFormats ? (await exporter.get("/metrics", OPEN_METRICS)).text : undefined,
      exposition: readExposition(text),
      isReady: ready.status === 200,
      isHealthy: healthy.status === 200,
    };
  }

  return {
    start,
    reload: (change) => {
      written = { ...written, ...change };
      files.write(written);
      // Not awaited: a file that hangs holds it up until time passes.
      reloads = reloads.then(reload);
    },
    restart: async () => {
      await stop();
      state.restarted();
      await start();
    },
    scrape: async (inBothFormats) => {
      const seen = await look(inBothFormats);
      judge((one) => one.scraped?.(seen));
    },
    command: async () => {
      const spend = await answered(time, exporter.report());
      if (spend) judge((one) => one.reported?.(spend));
      const write = await answered(time, exporter.backfill());
      const past = await write?.();
      if (!past) return;
      coverage.count(`backfill${past.plan.problems.length > 0 ? " with problems" : ""}`);
      judge((one) => one.backfilled?.(past));
    },
    disturbed: (at) => state.disturbed(at),
    stop,
    violation: () => violation,
  };
}

/** Two consecutive ones of so many scrapes. */
const STATUS_EACH = 8;
const OPEN_METRICS = "application/openmetrics-text;version=1.0.0";

/** Lets time pass until a command has its answers; undefined: it has an error instead, which says so. */
async function answered<Result>(time: WorldClock, made: Promise<Result>): Promise<Result | undefined> {
  const open = new Set([made]);
  void made.finally(() => open.clear()).catch(() => {});
  while (open.size > 0) await time.runTo(time.elapsedMs() + 1000);
  return made.catch((error: unknown) => {
    if (error instanceof GatewayError || error instanceof PastError) return undefined;
    throw error;
  });
}
