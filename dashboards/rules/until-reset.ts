import { promql, type Series } from "../promql.ts";
import { fired, isFiring, type RememberedAlert } from "./remembered.ts";
import { record, type RecordingRule } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Timing } from "./timing.ts";
import { MINUTE } from "../thresholds.ts";

/** An alert on remaining credits that starts under a strict condition and must not flap. */
export interface Lasting extends Pick<RememberedAlert, "since" | "for"> {
  /** The series of the condition under which it starts, unless a more urgent alert already fires. */
  readonly begins: Series;
  /** The conditions under which it keeps firing. */
  readonly keeps: readonly string[];
  /**
   * The more urgent alerts. Alertmanager inhibits this one while they fire, so it must not end before them
   * without a notification.
   */
  readonly nearer: readonly Pick<RememberedAlert, "since" | "for">[];
}

/**
 * Keeps an alert firing until the limit resets. `keep_firing_for` would outlast the reset: a key that ran out
 * minutes before midnight would still be reported as about to run out after midnight. The alert remembers
 * instead since when it is true.
 */
export function untilReset(timing: Timing, lasting: Lasting): string {
  const { begins, keeps, nearer } = lasting;
  const kept = [...keeps, ...nearer.map((alert) => isFiring(timing, alert))].join("\n    or ");
  const unlessNearer = nearer.map(({ since }) => `unless on (job, gateway, key) ${since.name}`).join("\n");
  return `${begins.name}
${unlessNearer}
or (
  ${recorded.remaining.name}
  and on (job, gateway, key) ${fired(timing, lasting)}
  and on (job, gateway, key) (
    ${kept}
  )
  unless on (job, gateway, key) ${recorded.limitChanged.name}
)
${whileUnheard(timing, lasting)}`;
}

/** The part of a condition that keeps an alert firing while the gateway does not answer. */
export function whileUnheard(timing: Timing, alert: Pick<RememberedAlert, "since" | "for">): string {
  return promql`or (${recorded.unheard} and on (job, gateway, key) ${fired(timing, alert)})`;
}

/** The rule that records which keys got new credits. */
export function limitChanged(timing: Timing): RecordingRule {
  const { resetSeconds, limit, alertLimit } = recorded;
  const before = promql`offset ${timing.duration(CHANGE_SEEN)}`;
  return record(
    recorded.limitChanged,
    "Keys whose limit was reset or raised in the last ten minutes, or while the gateway did not answer, which ends their alerts. At a reset the seconds until the next one grow.",
    promql`${limit} > (${limit} ${before} or ${alertLimit} ${before}) or ${resetSeconds} > ${resetSeconds} ${before}`,
  );
}

/**
 * A single evaluation without a result ends an alert, so the change is visible for longer, in case some
 * evaluations are missed.
 */
const CHANGE_SEEN = 10 * MINUTE;
