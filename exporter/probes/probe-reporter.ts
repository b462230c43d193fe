import type { Log } from "../log.ts";
import type { SelfCounter } from "../metrics/self-registry.ts";
import type { EventLog, TargetEvent } from "../schedule/event-log.ts";
import type { Reporter } from "../schedule/reporter.ts";
import type { ProbeSkipReason } from "./families.ts";
import type { ConfiguredProbe, ProbeRecords } from "./probe-records.ts";
import type { ProbeOutcome } from "./probe-run.ts";

/** Counts and logs the runs and skips of one probe. */
export interface ProbeReporter extends Reporter {
  /** A run has ended with an outcome, which is ignored if the probe was removed or its request has changed. */
  concluded(outcome: ProbeOutcome, maxCostCredits: number): void;
  /** A due run did not begin. */
  skipped(reason: ProbeSkipReason): void;
}

export interface ProbeReporterDependencies {
  /** For what happens at each run. */
  readonly log: Log;
  readonly events: Pick<EventLog, "report">;
  readonly records: ProbeRecords;
  readonly refused: SelfCounter<"collector">;
}

export function createProbeReporter(
  { probe: { name }, question }: Pick<ConfiguredProbe, "probe" | "question">,
  { log, events, records, refused }: ProbeReporterDependencies,
): ProbeReporter {
  function report(level: TargetEvent["level"], kind: string, fields: object, message: string): void {
    const title = `probe "${name}"`;
    events.report({
      level,
      cause: `probe ${kind}`,
      title,
      name,
      fields: { probe: name, ...fields },
      message,
    });
  }

  function skipped(reason: ProbeSkipReason): void {
    const message = `Probe "${name}" is ${ADVICE[reason]}`;
    // A wait for the first reading of a day is no fault.
    const level = reason === "spend_unknown" ? "info" : "warn";
    if (records.get(name)?.skip === reason) log.debug({ reason }, message);
    else report(level, `skipped ${reason}`, { reason }, message);
    records.addSkip(name, reason);
  }

  /** Logs a failure once, and again only when its reason changes. */
  function logOutcome({ failure, audioFault, wasSent }: ProbeOutcome, before: ProbeOutcome["failure"]): void {
    if (audioFault !== undefined && wasSent) {
      const message = `Probe "${name}" sends the last readable version of its audio: ${audioFault}`;
      report("warn", "audio", {}, message);
    }
    if (failure && before?.reason === failure.reason) log.debug({ reason: failure.reason }, failure.message);
    else if (failure) {
      const { reason, message } = failure;
      report("warn", `failed ${reason}`, { reason }, message);
    } else if (before)
      report("info", "succeeds", { reason: before.reason }, `Probe "${name}" succeeds again`);
    else log.debug({}, `Probe "${name}" succeeded`);
  }

  function logCost({ answer }: ProbeOutcome, maxCostCredits: number): void {
    const cost = answer?.usage.costCredits ?? 0;
    if (cost <= maxCostCredits) return;
    const message = `Probe "${name}" cost ${cost} credits, more than probe_spend.max_cost_per_probe, ${maxCostCredits}; from now on that much is reserved for each run`;
    report("warn", "cost", { cost }, message);
  }

  return {
    concluded: (outcome, maxCostCredits) => {
      const before = records.get(name)?.failure;
      if (!records.addOutcome(name, question, outcome)) return;
      logCost(outcome, maxCostCredits);
      logOutcome(outcome, before);
    },
    skipped,
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
}

const ADVICE: Readonly<Record<ProbeSkipReason, string>> = {
  spend_limit:
    "not run: its maximum cost would exceed the day's ceiling (probe_spend.max_cost_per_day); run it less often, or raise the ceiling",
  spend_unknown: "postponed until the spend of the day is known",
  paused: "not run: the gateway asked to wait",
  running: "not run: the previous run is still in progress; run it less often, or lower its timeout",
};
