import type { Clock } from "../time/clock.ts";
import type { ProbeConfig, ProbingConfig } from "../config/config.ts";
import type { PaidGateway } from "../gateway/gateway.ts";
import type { Log } from "../log.ts";
import type { Store } from "../readings/store.ts";
import { type Pace, PausedError } from "../schedule/pace.ts";
import type { CreateTicker } from "../time/ticker.ts";
import type { ProbeSkipReason } from "./families.ts";
import { createProbeBoard, targetOf } from "./probe-board.ts";
import type { ProbeRecords } from "./probe-records.ts";
import { runProbe } from "./probe-run.ts";
import type { SpendGuard } from "./spend-guard.ts";
import type { SpendReader } from "./spend-reader.ts";

/** Runs one probe when it is due: spend guard, pace, outcome, store. A failure ends here. */
export interface ProbeRunner {
  start(): void;
  /** Goes on with another form of the probe, on its schedule. What the run under way brings is shown if it still answers. */
  adopt(next: ProbeConfig): void;
  /** Nothing is begun or shown any more; a run under way still counts as spent. */
  stop(): void;
  readonly intervalMs: number;
}

export interface ProbeRunnerDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly gateway: Pick<PaidGateway, "transcribe">;
  readonly gatewayUrl: string;
  readonly pace: Pick<Pace, "reserve">;
  readonly createTicker: CreateTicker;
  readonly guard: SpendGuard;
  readonly reader: SpendReader;
  readonly records: ProbeRecords;
  readonly limits: () => Pick<ProbingConfig, "ceilingCredits" | "maxCostCredits">;
  readonly signal: AbortSignal;
  /** Told after each change of the store. */
  readonly onChange: () => void;
}

export function createProbeRunner(initial: ProbeConfig, dependencies: ProbeRunnerDependencies): ProbeRunner {
  const { clock, gateway, pace, guard, reader, records, limits, signal } = dependencies;
  const { name } = initial;
  const target = targetOf(name);
  const log = dependencies.log.child({ probe: name });
  const ticker = dependencies.createTicker(initial.schedule, clock, log);
  let probe = initial;
  let generation = 0;
  let state: "idle" | "waiting" | "running" = "idle";
  let stopTicker: (() => void) | undefined;
  let stopped = false;
  const board = createProbeBoard({ ...dependencies, log, intervalMs: ticker.longestGapMs });
  board.adopt(probe);

  function due(): void {
    if (state !== "idle") return skip(state === "waiting" ? "spend_unknown" : "running");
    void run()
      .catch((error: unknown) => {
        if (!signal.aborted) log.error({ error: String(error) }, `Cannot run probe "${name}"`);
      })
      .finally(() => (state = "idle"));
  }

  async function run(): Promise<void> {
    state = "waiting";
    if (!reader.isKnown()) {
      skip("spend_unknown");
      await reader.known();
    }
    if (stopped) return;
    state = "running";
    try {
      const release = await pace.reserve("transcription", target, signal);
      await runWithin().finally(release);
    } catch (error) {
      if (!(error instanceof PausedError)) throw error;
      skip("paused");
    }
  }

  /** Sets the highest cost aside, runs, and counts what it has cost. */
  async function runWithin(): Promise<void> {
    if (!reader.isKnown()) return skip("spend_unknown");
    const { ceilingCredits, maxCostCredits } = limits();
    // A gateway that charged more than the maximum once may do it again.
    const expected = Math.max(maxCostCredits, records.get(name)?.highestCostCredits ?? 0);
    const startMs = clock.now();
    const planned = { startMs, endMs: startMs + probe.timeoutMs, maxCostCredits: expected };
    const reservation = guard.reserve(planned, ceilingCredits);
    if (!reservation) return skip("spend_limit");
    const mine = generation;
    let cost: number | undefined;
    try {
      dependencies.onChange();
      const outcome = await runProbe(probe, gateway, clock, signal);
      cost = outcome.wasSent ? outcome.answer?.usage.costCredits : 0;
      reservation.settle(cost, clock.now());
      if (!stopped && mine === generation) board.conclude(probe, outcome, maxCostCredits);
    } finally {
      reservation.settle(cost, clock.now());
      dependencies.onChange();
    }
  }

  function skip(reason: ProbeSkipReason): void {
    if (!stopped) board.skip(probe, reason);
  }

  return {
    start: () => {
      stopTicker = ticker.start(due);
    },
    adopt: (next) => {
      probe = next;
      if (!board.adopt(probe)) generation++;
    },
    stop: () => {
      stopped = true;
      stopTicker?.();
    },
    intervalMs: ticker.longestGapMs,
  };
}
