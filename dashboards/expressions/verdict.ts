import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import type { Outlook } from "../../exporter/forecast/outlook.ts";
import { BACKGROUNDS, type Color } from "../colors.ts";
import { promql } from "../promql.ts";
import { ofJob, ofTeam, perKey } from "./scope.ts";

interface Verdict {
  readonly text: string;
  readonly color?: Color;
  /** Whether someone has to act. */
  readonly isDanger?: true;
  /** The keys that have this verdict. The most urgent one of a key counts, whichever process says it. */
  readonly keys: string;
}

const owned = perKey(ofJob(keyFamilies.ownerInfo));
const disabled = `${perKey(ofJob(discoveryFamilies.disabled))} == 1`;
const blocked = `${perKey(ofJob(keyFamilies.limit))} == 0`;
const nextReset = ofJob(keyFamilies.nextReset);

/** The keys with a forecast of the exporter. */
function outlook(state: Outlook | `!${Outlook}`): string {
  const matcher = state.startsWith("!") ? `!~${state.slice(1)}` : state;
  return `${perKey(ofJob(forecastFamilies.keyOutlook, { aigateway_key_outlook: matcher }))} == 1`;
}

const isOut = outlook("exhausted");
const isRefused = `${perKey(ofJob(keyFamilies.unauthorized))} == 1`;

const VERDICTS: readonly Verdict[] = [
  {
    text: "refused",
    color: "dark-red",
    isDanger: true,
    keys: isRefused,
  },
  { text: "exhausted", color: "dark-red", isDanger: true, keys: isOut },
  { text: "out within the hour", color: "red", isDanger: true, keys: outlook("imminent") },
  { text: "out within a day", color: "orange", isDanger: true, keys: outlook("predicted") },
  { text: "out before its reset", color: "yellow", isDanger: true, keys: outlook("slow") },
  {
    text: "unknown",
    color: "purple",
    keys: promql`${owned} unless on (job, gateway, key) (${outlook("!unknown")} or ${disabled} or ${blocked})`,
  },
  { text: "learning", color: "blue", keys: outlook("learning") },
  { text: "lasts", color: "green", keys: outlook("lasts") },
  { text: "unlimited", keys: outlook("unlimited") },
  { text: "blocked (limit 0)", keys: blocked },
  { text: "disabled", keys: disabled },
];

/** Larger is more urgent: tables are sorted by it. */
const valued = VERDICTS.map((verdict, index) => ({ ...verdict, value: VERDICTS.length - 1 - index }));

const DANGER = Math.min(...valued.filter(({ isDanger }) => isDanger).map(({ value }) => value));

const verdicts = `(${valued.map(({ keys, value }) => `(${keys}) * 0 + ${value}`).join(" or ")})`;

/** Values of `lasts` instead of a time. */
const REASONS = [
  { value: -7, text: "refused", keys: isRefused },
  {
    value: -1,
    text: "until its reset",
    keys: promql`${outlook("lasts")} and on (job, gateway, key) ${nextReset}`,
  },
  { value: -2, text: "more than a week", keys: outlook("lasts") },
  { value: -3, text: "not known yet", keys: outlook("learning") },
  { value: -4, text: "no limit", keys: outlook("unlimited") },
  { value: -5, text: "limit is 0", keys: blocked },
  { value: -6, text: "disabled", keys: disabled },
] as const;

const exhaustion = `min by (job, gateway, key) (${ofJob(forecastFamilies.keyExhaustion)})`;

const [refused, ...reasons] = REASONS.map(({ value, keys }) => `(${keys}) * 0 - ${-value}`);
const lastsOrWhyNot = promql`(${refused ?? ""} or (${isOut}) * 0 or clamp_min(${exhaustion} - time(), 0) or ${reasons.join(" or ")})`;

/** Seconds until the announced exhaustion of each key; a negative number is the reason why none is announced. */
export const lasts = ofTeam(lastsOrWhyNot);

/** The same for the chosen keys. */
export function lastsOf(matchers: { readonly key: string }): string {
  return promql`(${lastsOrWhyNot} and on (job, gateway, key) ${ofJob(keyFamilies.ownerInfo, matchers)})`;
}

/** The texts of the values of `lasts` that are not a time. */
export const lastsTexts: Readonly<Record<string, { readonly text: string; readonly color: Color }>> =
  Object.fromEntries(
    [{ value: 0, text: "used up" }, ...REASONS].map(({ value, text }) => [
      String(value),
      { text, color: "text" },
    ]),
  );

const OF_OUTLOOK: Readonly<Partial<Record<Outlook, string>>> = {
  exhausted: "exhausted",
  imminent: "out within the hour",
  predicted: "out within a day",
  slow: "out before its reset",
  unknown: "unknown",
  learning: "learning",
  lasts: "lasts",
};

/** The verdict on something else that has an outlook, given the selector of a state. */
export function outlookVerdict(stateOf: (outlook: string) => string): string {
  const states = Object.entries(OF_OUTLOOK).flatMap(([state, text]) =>
    valued
      .filter((verdict) => verdict.text === text)
      .map(({ value }) => `(${stateOf(state)} == 1) * 0 + ${value}`),
  );
  return `(${states.join(" or ")})`;
}

/** The verdict on each key as a number. */
export const verdict = ofTeam(verdicts);

/** The verdict on the chosen keys. */
export function verdictOf(matchers: { readonly key: string }): string {
  return promql`(${verdicts} and on (job, gateway, key) ${ofJob(keyFamilies.ownerInfo, matchers)})`;
}

/** All keys, those in most danger first: refused ones and what is used up, then what ends first, then all others. */
export const keysByDanger = promql`sort(min by (key) (${isRefused} or ${isOut}) * 0 or min by (key) (${exhaustion}) or min by (key) (${owned}) * Inf)`;

/** Number of keys in danger; 0 if no known key is, absent if no key is known. */
export const keysInDanger = promql`
  count(${verdict} >= ${DANGER}) or count(${ofTeam(owned)}) * 0`;

/** The text and the background of each verdict. */
export const verdictCells: Readonly<Record<string, { readonly text: string; readonly color: string }>> =
  Object.fromEntries(
    valued.map(({ value, text, color = "text" }) => [String(value), { text, color: BACKGROUNDS[color] }]),
  );
