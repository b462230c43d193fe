import type { Window } from "../time/window.ts";

/**
 * A metric family as a value: collectors make samples of it, the exposition prints its header, dashboards and
 * rules name it, and `docs/metrics.md` lists it. Code that uses a renamed metric does not compile.
 */
export interface Family<Label extends string = string> {
  readonly name: string;
  readonly type: "gauge" | "counter" | "histogram" | "info" | "stateset";
  /** The meaning of the value and its field of origin: one or two sentences, without quotes or line breaks. */
  readonly help: string;
  readonly labels: readonly Label[];
  /** When the family has no samples, for the documentation. */
  readonly absent: string;
}

/** One value of one series. */
export interface Sample {
  readonly family: Family;
  /** Label names and values as the exposition prints them, without the braces. */
  readonly labels: string;
  readonly value: number;
  /** The calendar window that the value belongs to. The value is withdrawn when it ends. */
  readonly window?: Window | undefined;
}

interface Definition<Label extends string> extends Pick<Family, "name" | "help"> {
  /** None by default. */
  readonly labels?: readonly Label[];
  /** `never` by default. */
  readonly absent?: string;
}

/** A constructor of families of one type. */
function familyOf(type: Family["type"]) {
  return <const Label extends string = never>({
    labels = [],
    absent = "never",
    ...rest
  }: Definition<Label>): Family<Label> => ({ ...rest, labels, absent, type });
}

export const gauge = familyOf("gauge");
export const counter = familyOf("counter");
/** A family whose value is always 1 and whose labels carry text; the name ends in `_info`. */
export const info = familyOf("info");
/** One series per state, with 1 for the current state; the last label is named after the family (OpenMetrics). */
export const stateset = familyOf("stateset");

/** Only the exporter's own metrics have histograms: collectors make single samples. */
export interface HistogramFamily<Label extends string = string> extends Family<Label> {
  readonly type: "histogram";
  /** Upper bounds, ascending, without infinity. */
  readonly buckets: readonly number[];
}

export function histogram<const Label extends string>(
  definition: Omit<HistogramFamily<Label>, "type">,
): HistogramFamily<Label> {
  return { ...definition, type: "histogram" };
}

/**
 * One sample, or none if the value is unknown or not a finite number: absent, zero and unlimited are three different
 * answers. True is 1, false is 0.
 */
export function sample<Label extends string>(
  family: Family<Label>,
  labels: Readonly<Record<Label, string>>,
  given: number | boolean | null | undefined,
  window?: Window,
): readonly Sample[] {
  const value = typeof given === "boolean" ? Number(given) : given;
  if (value === null || value === undefined || !Number.isFinite(value)) return [];
  return [{ family, labels: labelsText(family, labels), value, window }];
}

/** The same with labels beyond those of the family, which differ from sample to sample. */
export function labelledSample<Label extends string>(
  family: Family<Label>,
  labels: Readonly<Record<Label, string>>,
  more: readonly (readonly [name: string, value: string])[],
  given: number | undefined,
  window?: Window,
): readonly Sample[] {
  return sample(family, labels, given, window).map((one) => ({
    ...one,
    labels: [one.labels, ...more.map(([name, value]) => pairText(name, value))].join(","),
  }));
}

/** A time or a duration in the base unit of metrics; unknown stays unknown. */
export function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

/** An estimate is not better than a second. */
export function wholeSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms / 1000);
}

function labelsText<Label extends string>(
  family: Family<Label>,
  labels: Readonly<Record<Label, string>>,
): string {
  const pairs = family.labels.map((name, index) =>
    index === 0 ? firstPair(name, labels[name]) : pairText(name, labels[name]),
  );
  return pairs.join(",");
}

/** All samples of an answer begin with the same label, so its text is cached until the next answer. */
function firstPair(name: string, value: string): string {
  if (latest.name !== name || latest.value !== value) latest = { name, value, text: pairText(name, value) };
  return latest.text;
}

let latest = { name: "", value: "", text: "" };

function pairText(name: string, value: string): string {
  return `${name}="${escapeLabelValue(value)}"`;
}

/** Escaping is the same in both exposition formats. Lone surrogates become U+FFFD. */
function escapeLabelValue(value: string): string {
  return PLAIN.test(value)
    ? value
    : value.toWellFormed().replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

const PLAIN = /^[\w .:/-]*$/;
