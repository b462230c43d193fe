import { promql, type Series } from "../promql.ts";
import { record, type RecordingRule } from "./rule.ts";
import type { AlertDefinition } from "./settings.ts";
import type { Timing } from "./timing.ts";

/**
 * An alert whose condition depends on whether the alert fires already. Prometheus' own `ALERTS` would show
 * that, but Grafana does not write it.
 */
export interface RememberedAlert extends AlertDefinition {
  /** The recorded series that remembers since when the condition is true, in seconds since the epoch. */
  readonly since: Series;
  /** Seconds. */
  readonly for: number;
}

/**
 * The rule that records since when an alert's condition is true. It reads its own last value. `every`: a
 * series with all for which the condition may become true; fewer series cost less.
 */
export function rememberSince(
  { now }: Timing,
  { name, since, expr }: RememberedAlert,
  every: Series,
): RecordingRule {
  return record(
    since,
    `Since when the condition of ${name} is true. Whether the alert fires is part of its condition.`,
    `(\n${indented(expr)}\n) ^ 0\n${promql`* (${since} or ${every} ^ 0 * ${now})`}`,
  );
}

type Remembered = Pick<RememberedAlert, "since" | "for">;

/** Whether an alert fires, for more urgent alerts, which are evaluated before. */
export function isFiring(timing: Timing, { since, for: lasting }: Remembered): string {
  return promql`${timing.now} - ${since} >= ${timing.seconds(lasting)}`;
}

/** Whether an alert fired at its last evaluation, for its own condition. */
export function fired(timing: Timing, { since, for: lasting }: Remembered): string {
  return promql`${timing.now} - ${since} > ${timing.seconds(lasting)}`;
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
