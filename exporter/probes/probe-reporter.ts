import type { Log } from "../log.ts";
import type { SelfCounter } from "../metrics/self-registry.ts";
import type { Reporter } from "../schedule/reporter.ts";
import type { ProbeSkipReason } from "./families.ts";
import type { ProbeRecords } from "./probe-records.ts";
import type { ProbeOutcome } from "./probe-run.ts";

/** Reports what the engine does with a probe; its outcomes are counted by the job itself. */
export function createProbeReporter(
  name: string,
  {
    log,
    records,
    refused,
  }: { readonly log: Log; readonly records: ProbeRecords; readonly refused: SelfCounter<"collector"> },
): Reporter {
  const skip = (reason: ProbeSkipReason) => {
    logSkip(log, name, reason, records.get(name)?.skip);
    records.addSkip(name, reason);
  };
  return {
    ended: (_job, { failure }) => {
      if (failure) log.error({ error: failure.message }, `Cannot run probe "${name}"`);
    },
    refused: (_job, series) => {
      refused.inc({ collector: "probe" });
      log.error({ series }, `Cannot show probe "${name}": series_limit is reached`);
    },
    paused: () => skip("paused"),
    missed: (_job, why) => skip(why),
  };
}

/** Logs the outcome of a run: a failure once, and again only when its reason changes. */
export function logOutcome(
  log: Log,
  name: string,
  { failure, answer, audioFault }: ProbeOutcome,
  { before, maxCostCredits }: { readonly before: ProbeOutcome["failure"]; readonly maxCostCredits: number },
): void {
  if (audioFault !== undefined) log.warn({}, `Probe "${name}" sends its audio as last read: ${audioFault}`);
  const cost = answer?.usage.costCredits ?? 0;
  if (cost > maxCostCredits) {
    log.warn(
      { cost },
      `Probe "${name}" has cost ${cost} credits, more than probe_spend.max_cost_per_probe, ${maxCostCredits}; that much is set aside from now on`,
    );
  }
  if (failure)
    log[before?.reason === failure.reason ? "debug" : "warn"]({ reason: failure.reason }, failure.message);
  else if (before) log.info({ reason: before.reason }, `Probe "${name}" succeeds again`);
  else log.debug({}, `Probe "${name}" succeeded`);
}

/** Logs why a due run does not begin, once in a row. */
export function logSkip(
  log: Log,
  name: string,
  reason: ProbeSkipReason,
  before: ProbeSkipReason | undefined,
): void {
  log[before === reason ? "debug" : "warn"]({ reason }, `Probe "${name}" is ${ADVICE[reason]}`);
}

const ADVICE: Readonly<Record<ProbeSkipReason, string>> = {
  spend_limit:
    "not run: its highest cost does not fit below the ceiling of the day (probe_spend.max_cost_per_day); run it less often, or allow more",
  spend_unknown: "put off until the spend of the day is known",
  paused: "not run: the gateway asked to wait",
  running: "not run: the previous run is still under way; run it less often, or lower its timeout",
};
