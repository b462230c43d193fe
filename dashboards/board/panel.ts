import type { Panel } from "@grafana/grafana-foundation-sdk/dashboard";

import type { Query } from "./query.ts";
import type { Unit } from "./unit.ts";

/** What every panel says of itself. The description is made of it. */
export interface PanelDefinition {
  /** Never changes and is never used again: addresses of panels contain it. */
  readonly id: number;
  readonly title: string;
  /** Of 24 columns. */
  readonly width: number;
  /** What it shows, one sentence. */
  readonly shows: string;
  /** How to read it. */
  readonly read: string;
  /** What to do about it. */
  readonly act: string;
  /** Where more is needed than the 15 days that Prometheus keeps by default. */
  readonly historyDays?: number;
  /** What stands there when there is nothing to show: why that is, or that all is well. */
  readonly empty: string;
}

/** A panel and the place that it takes in its row. */
export interface PlacedPanel {
  readonly width: number;
  readonly panel: Panel;
}

/** The definition of a panel that shows values, in one unit. */
export interface ValuePanelDefinition extends PanelDefinition {
  readonly queries: readonly Query[];
  readonly unit: Unit;
}

/** What all kinds of panels of the SDK can be told. */
export interface DescribedBuilder {
  id(id: number): unknown;
  title(title: string): unknown;
  description(description: string): unknown;
  noValue(text: string): unknown;
}

/** Puts id, title and description on a panel. */
export function describe(
  builder: DescribedBuilder,
  definition: PanelDefinition,
  queries: readonly Query[],
): void {
  builder.id(definition.id);
  builder.title(definition.title);
  builder.description(descriptionOf(definition, queries));
  builder.noValue(definition.empty);
}

/** Puts a unit on a panel; without decimals Grafana chooses them by the size of the number. */
export function measure(
  builder: { unit(unit: string): unknown; decimals(decimals: number): unknown },
  { id, decimals }: Unit,
): void {
  builder.unit(id);
  if (decimals !== undefined) builder.decimals(decimals);
}

function descriptionOf(definition: PanelDefinition, queries: readonly Query[]): string {
  const { shows, read, act, historyDays } = definition;
  const sources = metricNames(queries).map((name) => `\`${name}\``);
  const history =
    historyDays === undefined
      ? []
      : [`**History** Needs ${historyDays} days in Prometheus, which keeps 15 unless told otherwise.`];
  return [shows, `**Read** ${read}`, `**Do** ${act}`, ...history, `**From** ${sources.join(", ")}`].join(
    "\n\n",
  );
}

/** The names that the expressions select: a name is followed by its labels. */
function metricNames(queries: readonly Query[]): readonly string[] {
  const names = queries.flatMap(({ expr }) =>
    [...expr.matchAll(/([A-Za-z_][\w:]*)\{/g)].map(([, name = ""]) => name),
  );
  return [...new Set(names)];
}
