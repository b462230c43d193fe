import { z } from "zod";

import type { PanelJson } from "./dashboard-json.ts";

/** What a panel, or a column of a table, shows for the value of a query. */
export interface Shown {
  readonly expr: string;
  /** The text for a value, or the value itself; undefined for a missing value. */
  text(value: number | undefined): string;
}

/** The figure of a panel with one query. */
export function figureOf(panel: PanelJson): Shown {
  const [target] = panel.targets;
  if (!target) throw new Error(`The panel "${panel.title}" has no query`);
  const { mappings = [], noValue = "" } = panel.fieldConfig?.defaults ?? {};
  return { expr: target.expr, text: (value) => textOf(mappings, noValue, value) };
}

/** A column of a table with several queries. */
export function columnOf(panel: PanelJson, title: string): Shown {
  const { renameByName } = organize.parse(panel).transformations.at(-1)?.options ?? {};
  const [field = ""] = Object.entries(renameByName ?? {}).find(([, name]) => name === title) ?? [];
  const target = panel.targets.find(({ refId }) => field === `Value #${refId}`);
  if (!target) throw new Error(`The table "${panel.title}" has no column "${title}"`);
  const properties = panel.fieldConfig?.overrides.find(
    ({ matcher }) => matcher.options === title,
  )?.properties;
  const property = (id: string) => properties?.find((one) => one.id === id)?.value;
  const mappings = z.array(z.unknown()).parse(property("mappings") ?? []);
  const noValue = z.string().parse(property("noValue") ?? "");
  return { expr: target.expr, text: (value) => textOf(mappings, noValue, value) };
}

const organize = z.object({
  transformations: z.array(
    z.object({ options: z.object({ renameByName: z.record(z.string(), z.string()).optional() }) }),
  ),
});

const valueMapping = z.object({
  type: z.literal("value"),
  options: z.record(z.string(), z.object({ text: z.string() })),
});

function textOf(mappings: readonly unknown[], noValue: string, value: number | undefined): string {
  if (value === undefined) return noValue;
  const texts = mappings.flatMap((mapping) => {
    const read = valueMapping.safeParse(mapping);
    return read.success ? [read.data.options[String(value)]?.text] : [];
  });
  return texts.find((text) => text !== undefined) ?? String(value);
}
