import type { ProbingConfig } from "../config/config.ts";
import type { Log } from "../log.ts";
import type { SelfCounter } from "../metrics/self-registry.ts";
import { targetId } from "../readings/target-id.ts";
import type { EventLog, TargetEvent } from "../schedule/event-log.ts";
import type { Job, JobGroup, Reporter, Result } from "../schedule/job.ts";
import type { Clock } from "../time/clock.ts";
import type { DailySpend } from "./daily-spend.ts";
import type { ProbeSkipReason } from "./families.ts";
import type { ConfiguredProbe, ProbeRecords } from "./probe-records.ts";
import { type ProbeOutcome, runProbe } from "./probe-run.ts";
import { outcomeSamples, probeDescription } from "./probe-samples.ts";

export interface ProbeJobDependencies {
  readonly clock: Clock;
  readonly spend: DailySpend;
  readonly records: ProbeRecords;
  /** For what happens at each run. */
  readonly log: Log;
  readonly events: Pick<EventLog, "report">;
  readonly refused: SelfCounter<"collector">;
}

/**
 * One probe as a job, with the reporter of its runs and skips: it reserves its maximum cost, requests one transcription
 * and judges it.
 */
export function createProbeJob(
  { probe, payer, question }: ConfiguredProbe,
  { ceilingCredits, maxCostCredits }: Pick<ProbingConfig, "ceilingCredits" | "maxCostCredits">,
  { clock, spend, records, log, events, refused }: ProbeJobDependencies,
): JobGroup {
  const { name } = probe;
  const id = targetId("probe", name);
  const title = `probe "${name}"`;

  function report(level: TargetEvent["level"], kind: string, fields: object, message: string): void {
    const cause = `probe ${kind}`;
    events.report({ level, cause, title, name, fields: { probe: name, ...fields }, message });
  }

  function skipped(reason: ProbeSkipReason): void {
    const message = `Probe "${name}" is ${ADVICE[reason]}`;
    if (records.get(name)?.skip === reason) log.debug({ probe: name, reason }, message);
    else report("warn", `skipped ${reason}`, { reason }, message);
    records.addSkip(name, reason);
  }

  /** The outcome is ignored if the probe was removed or its request has changed. */
  function concluded(outcome: ProbeOutcome): void {
    const before = records.get(name)?.failure;
    if (!records.addOutcome(name, question, outcome)) return;
    const cost = outcome.answer?.usage.costCredits ?? 0;
    if (cost > maxCostCredits) {
      const message = `Probe "${name}" cost ${cost} credits, more than probe_spend.max_cost_per_probe, ${maxCostCredits}`;
      report("warn", "cost", { cost }, message);
    }
    logOutcome(outcome, before);
  }

  /** Logs a failure once, and again only when its reason changes. */
  function logOutcome({ failure, audioFault, wasSent }: ProbeOutcome, before: ProbeOutcome["failure"]): void {
    if (audioFault !== undefined && wasSent) {
      const message = `Probe "${name}" sends the last readable version of its audio: ${audioFault}`;
      report("warn", "audio", {}, message);
    }
    if (failure && before?.reason === failure.reason)
      log.debug({ probe: name, reason: failure.reason }, failure.message);
    else if (failure) {
      const { reason, message } = failure;
      report("warn", `failed ${reason}`, { reason }, message);
    } else if (before)
      report("info", "succeeds", { reason: before.reason }, `Probe "${name}" succeeds again`);
    else log.debug({ probe: name }, `Probe "${name}" succeeded`);
  }

  const job: Job = {
    id,
    name,
    title,
    endpoint: "transcription",
    requests: 1,
    minIntervalMs: 0,
    identity: question,
    // Other changes apply from the next run on, because the run in progress has already cost credits.
    fingerprint: "",
    constants: [],
    run: async (client) => {
      // The credits are reserved before the first wait, so that no other run can use them.
      const reservation = spend.reserve(payer, maxCostCredits, ceilingCredits);
      if (!reservation) {
        skipped("spend_limit");
        return undefined;
      }
      let cost: number | undefined;
      try {
        const outcome = await runProbe(probe, client, clock);
        cost = outcome.wasSent ? outcome.answer?.usage.costCredits : 0;
        concluded(outcome);
        return { ...resultOf(outcome), samples: outcomeSamples(probe, outcome) };
      } finally {
        reservation.settle(cost);
      }
    },
    // The run in progress may belong to an earlier configuration, but the description always follows the current one.
    describe: () => {
      const record = records.get(name);
      return record ? probeDescription(record) : [];
    },
  };

  const reporter: Reporter = {
    // `concluded` reports outcomes; the engine only reports runs without one.
    ended: (_job, { failure }) => {
      if (failure) report("error", "error", { error: failure.message }, `Cannot run probe "${name}"`);
    },
    refused: (_job, series) => {
      refused.inc({ collector: "probe" });
      report("error", "refused", { series }, `Cannot show probe "${name}": series_limit is reached`);
    },
    paused: () => skipped("paused"),
    missed: (_job, why) => skipped(why),
  };

  return { name: id, expression: probe.schedule, jobs: [job], reporter, isPaid: true };
}

function resultOf({ answer, durationMs, wordErrorRate, failure }: ProbeOutcome): Pick<Result, "value"> {
  const audioSeconds = answer?.durationSeconds ?? answer?.usage.seconds;
  const succeeded = failure === undefined;
  return { value: { kind: "probe", answer, succeeded, durationMs, audioSeconds, wordErrorRate } };
}

const ADVICE: Readonly<Record<ProbeSkipReason, string>> = {
  spend_limit:
    "not run: its maximum cost would exceed the day's ceiling (probe_spend.max_cost_per_day); run it less often, or raise the ceiling",
  paused: "not run: the gateway asked to wait",
  running: "not run: the previous run is still in progress; run it less often, or lower its timeout",
};
