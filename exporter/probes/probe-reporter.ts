import type { Log } from "../log.ts";
import type { SelfCounter } from "../metrics/self-registry.ts";
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
  readonly log: Log;
  readonly records: ProbeRecords;
  readonly refused: SelfCounter<"collector">;
}

export function createProbeReporter(
  { probe: { name }, question }: Pick<ConfiguredProbe, "probe" | "question">,
  { log, records, refused }: ProbeReporterDependencies,
): ProbeReporter {
  function skipped(reason: ProbeSkipReason): void {
    const isRepeated = records.get(name)?.skip === reason;
    // A wait for the first reading of a day is no fault.
    const level = reason === "spend_unknown" ? "info" : "warn";
    log[isRepeated ? "debug" : level]({ reason }, `Probe "${name}" is ${ADVICE[reason]}`);
    records.addSkip(name, reason);
  }

  return {
    concluded: (outcome, maxCostCredits) => {
      const before = records.get(name)?.failure;
      if (!records.addOutcome(name, question, outcome)) return;
      logCost(log, name, outcome, maxCostCredits);
      logOutcome(log, name, outcome, before);
    },
    skipped,
    // `concluded` reports outcomes; the engine only reports runs without one.
    ended: (_job, { failure }) => {
      if (failure) log.error({ error: failure.message }, `Cannot run probe "${name}"`);
    },
    refused: (_job, series) => {
      refused.inc({ collector: "probe" });
      log.error({ series }, `Cannot show probe "${name}": series_limit is reached`);
    },
    paused: () => skipped("paused"),
    missed: (_job, why) => skipped(why),
  };
}

/** Logs a failure once, and again only when its reason changes. */
function logOutcome(
  log: Log,
  name: string,
  { failure, audioFault, wasSent }: ProbeOutcome,
  before: ProbeOutcome["failure"],
): void {
  if (audioFault !== undefined && wasSent)
    log.warn({}, `Probe "${name}" sends the last readable version of its audio: ${audioFault}`);
  if (failure)
    log[before?.reason === failure.reason ? "debug" : "warn"]({ reason: failure.reason }, failure.message);
  else if (before) log.info({ reason: before.reason }, `Probe "${name}" succeeds again`);
  else log.debug({}, `Probe "${name}" succeeded`);
}

function logCost(log: Log, name: string, { answer }: ProbeOutcome, maxCostCredits: number): void {
  const cost = answer?.usage.costCredits ?? 0;
  if (cost <= maxCostCredits) return;
  log.warn(
    { cost },
    `Probe "${name}" cost ${cost} credits, more than probe_spend.max_cost_per_probe, ${maxCostCredits}; from now on that much is reserved for each run`,
  );
}

const ADVICE: Readonly<Record<ProbeSkipReason, string>> = {
  spend_limit:
    "not run: its maximum cost would exceed the day's ceiling (probe_spend.max_cost_per_day); run it less often, or raise the ceiling",
  spend_unknown: "postponed until the spend of the day is known",
  paused: "not run: the gateway asked to wait",
  running: "not run: the previous run is still in progress; run it less often, or lower its timeout",
};
