import { HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql } from "../promql.ts";
import type { AlertDefinition } from "./settings.ts";
import type { Timing } from "./timing.ts";

/**
 * How long prepaid credits last: the seconds at the rates of an hour, six hours, a day and three days, and
 * whether any are left.
 */
export interface PrepaidCredits {
  readonly hour: string;
  readonly sixHours: string;
  readonly day: string;
  readonly threeDays: string;
  readonly left: string;
}

type Conditions = Pick<AlertDefinition, "severity" | "comment" | "expr" | "for" | "keepFiringFor">;

/** When the alerts on prepaid credits fire: those on the account's balance, and those on budgets without an end. */
export function prepaidAlerts(
  timing: Timing,
  { hour, sixHours, day, threeDays, left }: PrepaidCredits,
): Readonly<Record<"imminent" | "predicted" | "slow", Conditions>> {
  const soon = timing.seconds(thresholds.prepaidImminent);
  const anyway = timing.seconds(thresholds.prepaidAnyway);
  return {
    imminent: {
      severity: "critical",
      comment:
        "A nightly job ends after some hours, so the rate of six hours can contradict that of the last one. It would notice a runaway hours later, so the last hour decides alone if it leaves little, or if it is all that is known.",
      expr: promql`
        ${hour} < ${soon}
        unless (${sixHours} >= ${soon} and ${hour} >= ${anyway})
        and ${left}`,
      for: 10 * MINUTE,
      keepFiringFor: 20 * MINUTE,
    },
    predicted: {
      severity: "warning",
      comment:
        "The rate of a day knows office hours and nightly jobs, so the alert neither ends in the evening nor fires again in the morning.",
      expr: promql`
        (${day} or ${sixHours}) < ${timing.seconds(thresholds.predicted)}
        and ${left}`,
      for: 30 * MINUTE,
      keepFiringFor: HOUR,
    },
    slow: {
      severity: "warning",
      comment:
        "The rate of three days is the measure. Its limit is two days less than a week, because spending differs from day to day. The rate of one day confirms that the spending continues.",
      expr: promql`
        ${threeDays} < ${timing.seconds(thresholds.prepaidSlow)}
        and ${day} < ${timing.seconds(thresholds.slow)}
        and ${left}`,
      for: HOUR,
      keepFiringFor: 6 * HOUR,
    },
  };
}
