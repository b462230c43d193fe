import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import type { ValueMapping } from "@grafana/grafana-foundation-sdk/dashboard";
import { PanelBuilder } from "@grafana/grafana-foundation-sdk/stat";

import { PLAIN, type Steps, thresholdSteps } from "./color.ts";
import { describe, measure, type PlacedPanel, type ValuePanelDefinition } from "./panel.ts";
import { DATA_SOURCE, instant, targets } from "./query.ts";
import { valueTexts } from "./table.ts";

interface StatDefinition extends ValuePanelDefinition {
  readonly steps?: Steps;
  readonly mappings?: readonly ValueMapping[];
  /** Whether the panel has the colour instead of the number. */
  readonly background?: boolean;
  /** Whether to show the series' name beside its value, because there may be several. */
  readonly named?: boolean;
}

/** A figure that one expression gives. */
export interface Figure extends Omit<StatDefinition, "queries" | "mappings"> {
  readonly expr: string;
  /** Texts instead of some values. */
  readonly texts?: Parameters<typeof valueTexts>[0];
}

export function figure({ expr, texts, ...definition }: Figure): PlacedPanel {
  return stat({ ...definition, queries: [instant(expr)], mappings: texts ? [valueTexts(texts)] : [] });
}

/** A panel with one large number. */
export function stat(definition: StatDefinition): PlacedPanel {
  const { queries, width, steps = PLAIN, mappings = [], named = false, background = false } = definition;
  const builder = new PanelBuilder();
  describe(builder, definition, queries);
  measure(builder, definition.unit);
  builder
    .datasource(DATA_SOURCE)
    .targets(targets(queries))
    .thresholds(thresholdSteps(steps))
    .mappings([...mappings])
    .colorMode(background ? BigValueColorMode.BackgroundSolid : BigValueColorMode.Value)
    .wideLayout(false)
    .graphMode(BigValueGraphMode.None)
    .textMode(named ? BigValueTextMode.ValueAndName : BigValueTextMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]).values(false).fields(""));
  return { width, panel: builder.build() };
}
