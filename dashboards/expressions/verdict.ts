import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { BACKGROUNDS, type Color } from "../colors.ts";
import { promql } from "../promql.ts";
import { recorded } from "../rules/series.ts";
import { thresholds } from "../thresholds.ts";
import { ofJob, ofTeam, perKey } from "./scope.ts";

interface Verdict {
  readonly text: string;
  readonly color?: Color;
  /** Whether someone has to act. */
  readonly isDanger?: true;
  /** The keys that have this verdict, unless a worse one applies. */
  readonly keys: string;
}

const owned = perKey(ofJob(keyFamilies.ownerInfo));
const unlimited = `${perKey(ofJob(keyFamilies.unlimited))} == 1`;
const disabled = `${perKey(ofJob(discoveryFamilies.disabled))} == 1`;
const blocked = `${ofJob(recorded.limit)} == 0`;
const resetSeconds = ofJob(recorded.resetSeconds);
const runsOut = ofJob(recorded.runsOut);
const mayRunOut = ofJob(recorded.mayRunOut);

/** Keys with credits to spend, whose remaining credits are known. */
const limited = promql`(${ofJob(recorded.remaining)} and ${ofJob(recorded.limit)} > 0)`;

/** Keys that have been watched for less than six hours. */
const unmeasured = promql`(${limited} unless ${ofJob(recorded.burn6h)})`;

/**
 * Keys that an estimate expects to run out before the reset, although not all rates agree, or there is no
 * history yet.
 */
const estimated = promql`(${mayRunOut} <= ${resetSeconds})`;

/**
 * The possible verdicts on a key, worst first. They and the time that credits last come from the same
 * recorded series, which follow the alerts.
 */
const VERDICTS: readonly Verdict[] = [
  {
    text: "refused",
    color: "red",
    isDanger: true,
    keys: `${perKey(ofJob(keyFamilies.unauthorized))} == 1`,
  },
  { text: "exhausted", color: "red", isDanger: true, keys: `${runsOut} == 0` },
  {
    text: "out within a day",
    color: "red",
    isDanger: true,
    keys: promql`${runsOut} <= ${thresholds.predicted}`,
  },
  {
    text: "out within a day (estimate)",
    color: "orange",
    isDanger: true,
    keys: promql`(${estimated} <= ${thresholds.predicted}) unless ${runsOut}`,
  },
  {
    text: "out within a week",
    color: "orange",
    isDanger: true,
    keys: promql`${runsOut} <= ${thresholds.slow}`,
  },
  {
    text: "out within a week (estimate)",
    color: "yellow",
    isDanger: true,
    keys: promql`(${estimated} <= ${thresholds.slow}) unless ${runsOut}`,
  },
  {
    text: "unknown",
    color: "purple",
    keys: promql`
      ${owned} unless on (job, gateway, key) (
        ${perKey(ofJob(keyFamilies.unlimited))}
        and on (job, gateway, key) (${limited} or ${blocked} or ${unlimited} or ${disabled})
      )`,
  },
  { text: "little is left", color: "yellow", keys: ofJob(recorded.lowSince) },
  { text: "out before its reset", color: "yellow", keys: promql`${runsOut} and ${resetSeconds} < Inf` },
  {
    text: "out before its reset (estimate)",
    color: "yellow",
    keys: promql`${estimated} and ${resetSeconds} < Inf`,
  },
  { text: "not known yet", color: "blue", keys: unmeasured },
  { text: "lasts over a week", keys: promql`(${runsOut} or ${mayRunOut}) and ${resetSeconds} == Inf` },
  { text: "disabled", keys: disabled },
  { text: "blocked (limit 0)", keys: blocked },
  { text: "unlimited", keys: unlimited },
  { text: "lasts", color: "green", keys: limited },
];

/** Larger is worse: tables are sorted by it. */
const valued = VERDICTS.map((verdict, index) => ({ ...verdict, value: VERDICTS.length - 1 - index }));

const DANGER = Math.min(...valued.filter(({ isDanger }) => isDanger).map(({ value }) => value));

const verdicts = `(${valued.map(({ keys, value }) => `(${keys}) * 0 + ${value}`).join(" or ")})`;

/** Values of `lasts` instead of a time: the reason why no time is known. */
const REASONS = [
  { value: -1, text: "not known yet", keys: unmeasured },
  { value: -2, text: "nothing is spent", keys: limited },
  { value: -3, text: "disabled", keys: disabled },
  { value: -4, text: "limit is 0", keys: blocked },
  { value: -5, text: "no limit", keys: unlimited },
] as const;

const lastsOrWhyNot = promql`(${runsOut} or ${mayRunOut} or ${REASONS.map(
  ({ value, keys }) => `(${keys}) * 0 - ${-value}`,
).join(" or ")})`;

/** Seconds that the credits of each key last, as the verdict assumes; below 0, the reason why there is no such time. */
export const lasts = ofTeam(lastsOrWhyNot);

/** The same for the chosen keys. */
export function lastsOf(matchers: { readonly key: string }): string {
  return promql`(${lastsOrWhyNot} and on (job, gateway, key) ${ofJob(keyFamilies.ownerInfo, matchers)})`;
}

/** The texts of the values of `lasts` that are not a time. */
export const lastsTexts: Readonly<Record<string, { readonly text: string; readonly color: Color }>> = {
  Infinity: { text: "until the reset", color: "green" },
  ...Object.fromEntries(REASONS.map(({ value, text }) => [String(value), { text, color: "text" }])),
};

/** The verdict on each key as a number. */
export const verdict = ofTeam(verdicts);

/** The verdict on the chosen keys. */
export function verdictOf(matchers: { readonly key: string }): string {
  return promql`(${verdicts} and on (job, gateway, key) ${ofJob(keyFamilies.ownerInfo, matchers)})`;
}

/** Number of keys in danger; 0 if no known key is, absent if no key is known. */
export const keysInDanger = promql`
  count(${verdict} >= ${DANGER}) or count(${ofTeam(owned)}) * 0`;

/** The text and colour of each verdict. */
export const verdictTexts: Readonly<Record<string, { readonly text: string; readonly color: Color }>> =
  Object.fromEntries(valued.map(({ value, text, color = "text" }) => [String(value), { text, color }]));

/** The same for cells with a background. */
export const verdictCells: Readonly<Record<string, { readonly text: string; readonly color: string }>> =
  Object.fromEntries(
    Object.entries(verdictTexts).map(([value, { text, color }]) => [
      value,
      { text, color: BACKGROUNDS[color] },
    ]),
  );
