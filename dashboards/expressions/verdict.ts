import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import type { Color } from "../builder/color.ts";
import { promql } from "../promql.ts";
import { recorded } from "../rules/series.ts";
import { thresholds } from "../thresholds.ts";
import { ofJob, ofTeam, perKey } from "./scope.ts";

interface Verdict {
  /** Larger is worse: tables are sorted by it. */
  readonly value: number;
  readonly text: string;
  readonly color?: Color;
  /** The keys that have this verdict, unless a worse one applies. */
  readonly keys: string;
}

const owned = perKey(ofJob(keyFamilies.ownerInfo));
const remaining = ofJob(recorded.remaining);
const resetSeconds = ofJob(recorded.resetSeconds);

/**
 * Keys that run out within `seconds` and before the reset, at the rates of both the last hour and the last six hours, unless the
 * remaining credits are enough for the rest of a typical day.
 */
function runsOutWithin(seconds: number): string {
  const hour = ofJob(recorded.exhaustion1h);
  const sixHours = ofJob(recorded.exhaustion6h);
  return promql`
    ${hour} < ${seconds} and ${sixHours} < ${seconds}
    and ${hour} < ${resetSeconds} and ${sixHours} < ${resetSeconds}
    unless (${ofJob(recorded.restOfDay)} < ${remaining} and ${resetSeconds} <= 86400)`;
}

/** The possible verdicts on a key, worst first. The thresholds are those of the alerts. */
const VERDICTS: readonly Verdict[] = [
  {
    value: 7,
    text: "refused",
    color: "red",
    keys: `${perKey(ofJob(keyFamilies.unauthorized))} == 1`,
  },
  {
    value: 6,
    text: "exhausted",
    color: "red",
    keys: promql`${remaining} <= ${thresholds.exhaustedRatio} * (${ofJob(recorded.limit)} > 0)`,
  },
  { value: 5, text: "out within a day", color: "red", keys: runsOutWithin(thresholds.predicted) },
  { value: 4, text: "out within a week", color: "orange", keys: runsOutWithin(thresholds.slow) },
  {
    value: 3,
    text: "unknown",
    color: "purple",
    keys: promql`${owned} unless on (job, key) ${perKey(ofJob(keyFamilies.unlimited))}`,
  },
  { value: 2, text: "blocked (limit 0)", keys: `${ofJob(recorded.limit)} == 0` },
  { value: 1, text: "unlimited", keys: `${perKey(ofJob(keyFamilies.unlimited))} == 1` },
  { value: 0, text: "lasts", color: "green", keys: owned },
];

/** From this verdict on, someone has to act. */
const DANGER = 4;

const verdicts = `(${VERDICTS.map(({ keys, value }) => `(${keys}) * 0 + ${value}`).join(" or ")})`;

/** The verdict on each key as a number. */
export const verdict = ofTeam(verdicts);

/** The verdict on the chosen keys. */
export function verdictOf(matchers: { readonly key: string }): string {
  return promql`(${verdicts} and on (job, key) ${ofJob(keyFamilies.ownerInfo, matchers)})`;
}

/** Number of keys in danger; 0 if no known key is, absent if no key is known. */
export const keysInDanger = promql`
  count(${verdict} >= ${DANGER}) or count(${ofTeam(owned)}) * 0`;

/** The text and colour of each verdict; neutral verdicts get the given colour. */
export function verdictTexts(
  quiet: Color,
): Readonly<Record<string, { readonly text: string; readonly color: Color }>> {
  return Object.fromEntries(
    VERDICTS.map(({ value, text, color = quiet }) => [String(value), { text, color }]),
  );
}
