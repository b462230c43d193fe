import type { ProbingConfig } from "../config/config.ts";
import type { GatewayClient } from "../gateway/port.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { Job, Result } from "../schedule/job.ts";
import type { Clock } from "../time/clock.ts";
import type { PayerSpend } from "./payer-spend.ts";
import type { ConfiguredProbe, ProbeRecords } from "./probe-records.ts";
import type { ProbeReporter } from "./probe-reporter.ts";
import { type ProbeOutcome, runProbe } from "./probe-run.ts";
import { outcomeSamples, probeDescription } from "./probe-samples.ts";
import type { SpendGuard } from "./spend-guard.ts";

export interface ProbeJobDependencies {
  readonly clock: Clock;
  readonly guard: SpendGuard;
  readonly payerSpend: Pick<PayerSpend, "isKnown">;
  readonly records: ProbeRecords;
  readonly reporter: ProbeReporter;
  /** Due probes that wait until the spend of the day is known. */
  readonly putOff: Set<TargetId>;
}

/** One probe as a job: it reserves its maximum cost, requests one transcription and judges it. */
export function createProbeJob(
  { probe, payer, question }: ConfiguredProbe,
  { ceilingCredits, maxCostCredits }: Pick<ProbingConfig, "ceilingCredits" | "maxCostCredits">,
  { clock, guard, payerSpend, records, reporter, putOff }: ProbeJobDependencies,
): Job {
  const { name } = probe;
  const id = targetId("probe", name);

  /** The credits are reserved before the first wait, so that no other run can use them. */
  async function run(client: GatewayClient): Promise<Result | undefined> {
    if (!payerSpend.isKnown()) {
      reporter.skipped("spend_unknown");
      putOff.add(id);
      return undefined;
    }
    putOff.delete(id);
    const startMs = clock.now();
    // A gateway that has charged more than the maximum may do so again.
    const highestCost = Math.max(maxCostCredits, records.get(name)?.highestCostCredits ?? 0);
    const planned = { payer, startMs, endMs: startMs + probe.timeoutMs, maxCostCredits: highestCost };
    const reservation = guard.reserve(planned, ceilingCredits);
    if (!reservation) {
      reporter.skipped("spend_limit");
      return undefined;
    }
    let cost: number | undefined;
    try {
      const outcome = await runProbe(probe, client, clock);
      cost = outcome.wasSent ? outcome.answer?.usage.costCredits : 0;
      reporter.concluded(outcome, maxCostCredits);
      return resultOf(outcome);
    } finally {
      reservation.settle(cost, clock.now());
    }
  }

  function resultOf(outcome: ProbeOutcome): Result {
    const { answer, durationMs, wordErrorRate, failure } = outcome;
    const audioSeconds = answer?.durationSeconds ?? answer?.usage.seconds;
    const succeeded = failure === undefined;
    return {
      value: { kind: "probe", answer, succeeded, durationMs, audioSeconds, wordErrorRate },
      samples: outcomeSamples(probe, outcome),
    };
  }

  return {
    id,
    name,
    title: `probe "${name}"`,
    endpoint: "transcription",
    requests: 1,
    minIntervalMs: 0,
    identity: question,
    // Other changes apply from the next run on, because the run in progress has already cost credits.
    fingerprint: "",
    constants: [],
    run,
    // The run in progress may belong to an earlier configuration, but the description always follows the current one.
    describe: () => {
      const record = records.get(name);
      return record ? probeDescription(record) : [];
    },
  };
}
