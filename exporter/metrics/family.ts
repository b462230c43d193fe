import type { Window } from "../time/window.ts";

/**
 * A metric family as a value: collectors make samples of it, the exposition prints its header, dashboards and rules
 * name it, `docs/metrics.md` lists it. A renamed metric does not compile anywhere.
 */
export interface Family<Label extends string = string> {
  readonly name: string;
  readonly type: "gauge" | "counter" | "info" | "stateset";
  /** What the value is, from which field of which answer. One sentence or two, no quotes, no line break. */
  readonly help: string;
  readonly labels: readonly Label[];
  /** When there is no sample, for the documentation. */
  readonly absent: string;
}

/** One value of one series, to be shown only within its window, if it has one. */
export interface Sample {
  readonly family: Family;
  /** Label names and values as the exposition prints them, without the braces. */
  readonly labels: string;
  readonly value: number;
  /** The calendar window that the value belongs to; it is withdrawn when that ends. */
  readonly window?: Window | undefined;
}

interface Definition<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly absent: string;
}

export function gauge<const Label extends string>(definition: Definition<Label>): Family<Label> {
  return { ...definition, type: "gauge" };
}

export function counter<const Label extends string>(definition: Definition<Label>): Family<Label> {
  return { ...definition, type: "counter" };
}

/** A family whose value is always 1 and whose labels carry text; the name ends in `_info`. */
export function info<const Label extends string>(definition: Definition<Label>): Family<Label> {
  return { ...definition, type: "info" };
}

/** One series per state, 1 for the one that applies; the last label is named after the family (OpenMetrics). */
export function stateset<const Label extends string>(definition: Definition<Label>): Family<Label> {
  return { ...definition, type: "stateset" };
}

/**
 * The samples of one value: none where it is unknown or not a finite number, since absent, zero and unlimited are
 * three different answers.
 */
export function sample<Label extends string>(
  family: Family<Label>,
  labels: Readonly<Record<Label, string>>,
  value: number | null | undefined,
  window?: Window,
): readonly Sample[] {
  if (value === null || value === undefined || !Number.isFinite(value)) return [];
  return [{ family, labels: labelText(family, labels), value, window }];
}

function labelText<Label extends string>(
  family: Family<Label>,
  labels: Readonly<Record<Label, string>>,
): string {
  const pairs = family.labels.map((name, index) =>
    index === 0 ? firstPair(name, labels[name]) : pairText(name, labels[name]),
  );
  return pairs.join(",");
}

/** All samples of an answer begin with the same label, so the last one is remembered. */
function firstPair(name: string, value: string): string {
  if (latest.name !== name || latest.value !== value) latest = { name, value, text: pairText(name, value) };
  return latest.text;
}

let latest = { name: "", value: "", text: "" };

function pairText(name: string, value: string): string {
  return `${name}="${escapeLabelValue(value)}"`;
}

/** Escaping of the exposition formats, text 0.0.4 and OpenMetrics 1.0 alike; lone surrogates become U+FFFD. */
function escapeLabelValue(value: string): string {
  return value.toWellFormed().replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
