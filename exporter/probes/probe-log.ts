import type { Log } from "../log.ts";
import type { ProbeSkipReason } from "./families.ts";
import type { ProbeOutcome } from "./probe-run.ts";

/** Says how a run ended: a failure once, and again only when its reason changes. */
export function describeOutcome(
  log: Log,
  name: string,
  { failure, answer, audioFault }: ProbeOutcome,
  before: ProbeOutcome["failure"],
  maxCostCredits: number,
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

/** Says why a run that was due is not begun, once in a row. */
export function describeSkip(
  log: Log,
  name: string,
  reason: ProbeSkipReason,
  before: ProbeSkipReason | undefined,
): void {
  log[before === reason ? "debug" : "warn"]({ reason }, `Probe "${name}" is ${ADVICE[reason]}`);
}

const ADVICE: Readonly<Record<ProbeSkipReason, string>> = {
  spend_limit:
    "not run: the ceiling of the day does not hold its highest cost (probe_spend.max_cost_per_day); run it less often, or allow more",
  spend_unknown: "put off until the spend of the day is known",
  paused: "not run: the gateway asked to wait",
  running: "not run: the run before is still under way; run it less often, or lower its timeout",
};
