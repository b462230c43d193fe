import type { ProbeConfig, ProbingConfig } from "../config/config.ts";
import type { GatewayClient } from "../gateway/port.ts";
import type { Log } from "../log.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { Job, Result } from "../schedule/job.ts";
import type { Clock } from "../time/clock.ts";
import { longestGapMs } from "../time/ticker.ts";
import type { ProbeSkipReason } from "./families.ts";
import { logOutcome, logSkip } from "./probe-reporter.ts";
import type { ProbeRecords } from "./probe-records.ts";
import { type ProbeOutcome, runProbe } from "./probe-run.ts";
import { outcomeSamples, probeDescription } from "./probe-samples.ts";
import type { SpendGuard } from "./spend-guard.ts";
import type { SpendWatch } from "./spend-watch.ts";

export interface ProbeJobDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly guard: SpendGuard;
  readonly watch: Pick<SpendWatch, "isKnown">;
  readonly records: ProbeRecords;
  /** Probes that are due and wait until the spend of the day is known. */
  readonly putOff: Set<TargetId>;
  /** Called when credits are set aside. */
  readonly onChange: () => void;
}

/** One probe as a job: it sets its highest cost aside, asks for one transcription and judges it. */
export function createProbeJob(
  probe: ProbeConfig,
  question: string,
  { ceilingCredits, maxCostCredits }: Pick<ProbingConfig, "ceilingCredits" | "maxCostCredits">,
  { clock, log, guard, watch, records, putOff, onChange }: ProbeJobDependencies,
): Job {
  const { name } = probe;
  const id = targetId("probe", name);
  const intervalMs = longestGapMs(probe.schedule);

  async function run(client: GatewayClient): Promise<Result | undefined> {
    if (!watch.isKnown()) {
      putOff.add(id);
      return skip("spend_unknown");
    }
    // A gateway that charged more than the maximum once may do so again.
    const expected = Math.max(maxCostCredits, records.get(name)?.highestCostCredits ?? 0);
    const startMs = clock.now();
    const planned = { startMs, endMs: startMs + probe.timeoutMs, maxCostCredits: expected };
    const reservation = guard.reserve(planned, ceilingCredits);
    if (!reservation) return skip("spend_limit");
    onChange();
    let cost: number | undefined;
    try {
      const outcome = await runProbe(probe, client, clock);
      cost = outcome.wasSent ? outcome.answer?.usage.costCredits : 0;
      return conclude(outcome);
    } finally {
      reservation.settle(cost, clock.now());
    }
  }

  function skip(reason: ProbeSkipReason): undefined {
    logSkip(log, name, reason, records.get(name)?.skip);
    records.addSkip(name, reason);
  }

  function conclude(outcome: ProbeOutcome): Result {
    const before = records.get(name)?.failure;
    if (records.addOutcome({ name, question }, outcome))
      logOutcome(log, name, outcome, { before, maxCostCredits });
    const { answer, durationMs, wordErrorRate, failure } = outcome;
    const audioSeconds = answer?.durationSeconds ?? answer?.usage.seconds;
    return {
      value: {
        kind: "probe",
        answer,
        succeeded: failure === undefined,
        durationMs,
        audioSeconds,
        wordErrorRate,
      },
      samples: outcomeSamples(probe, outcome),
    };
  }

  return {
    ...{ id, name, run, title: `probe "${name}"`, endpoint: "transcription", requests: 1, minIntervalMs: 0 },
    identity: question,
    // Whatever else is changed applies from the next run on: a run under way has cost credits already.
    fingerprint: "",
    constants: [],
    describe: () => {
      const record = records.get(name);
      return record ? probeDescription(probe, record, intervalMs) : [];
    },
  };
}
