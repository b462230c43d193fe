import type { Panel } from "@grafana/grafana-foundation-sdk/dashboard";

import type { Query } from "./query.ts";
import type { Unit } from "./unit.ts";

/** The fields that every panel has. They make up its description. */
export interface PanelDefinition {
  /** Never changes and is never reused: links to panels contain it. */
  readonly id: number;
  readonly title: string;
  /** Width in columns, out of 24. */
  readonly width: number;
  /** What it shows, in one sentence. */
  readonly shows: string;
  /** How to read it. */
  readonly read: string;
  /** What to do about it. */
  readonly act: string;
  /** Days of history that it needs, if more than the 15 that Prometheus keeps by default. */
  readonly historyDays?: number;
  /** The text of an empty panel: why there is nothing to show, or that all is well. */
  readonly empty: string;
}

/** A panel and the width that it takes in its row. */
export interface PlacedPanel {
  readonly width: number;
  readonly panel: Panel;
}

/** The definition of a panel whose values share one unit. */
export interface ValuePanelDefinition extends PanelDefinition {
  readonly queries: readonly Query[];
  readonly unit: Unit;
}

/** The methods that all panel builders of the SDK share. */
export interface DescribedBuilder {
  id(id: number): unknown;
  title(title: string): unknown;
  description(description: string): unknown;
  noValue(text: string): unknown;
}

/** Sets a panel's id, title, description and empty text. */
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

/** Sets a panel's unit. Without `decimals`, Grafana chooses them by the size of the number. */
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
      : [`**History** Needs ${historyDays} days in Prometheus, which keeps 15 by default.`];
  return [shows, `**Read** ${read}`, `**Do** ${act}`, ...history, `**From** ${sources.join(", ")}`].join(
    "\n\n",
  );
}

/** The metric names that the expressions select: each is followed by its labels. */
function metricNames(queries: readonly Query[]): readonly string[] {
  const names = queries.flatMap(({ expr }) =>
    [...expr.matchAll(/([A-Za-z_][\w:]*)\{/g)].map(([, name = ""]) => name),
  );
  return [...new Set(names)];
}
