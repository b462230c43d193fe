import {
  BarGaugeDisplayMode,
  BarGaugeNamePlacement,
  BarGaugeValueMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
} from "@grafana/grafana-foundation-sdk/common";
import { FieldColorBuilder, FieldColorModeId } from "@grafana/grafana-foundation-sdk/dashboard";
import { PanelBuilder } from "@grafana/grafana-foundation-sdk/bargauge";

import { BLUE, thresholdSteps } from "./color.ts";
import { describe, measure, type PlacedPanel, type ValuePanelDefinition } from "./panel.ts";
import { DATA_SOURCE, targets } from "./query.ts";

/** Bars from the largest to the smallest, for example the top spenders. */
export function ranking(definition: ValuePanelDefinition): PlacedPanel {
  const { queries, width } = definition;
  const builder = new PanelBuilder();
  describe(builder, definition, queries);
  measure(builder, definition.unit);
  builder
    .datasource(DATA_SOURCE)
    .targets(targets(queries))
    .min(0)
    .thresholds(thresholdSteps(BLUE))
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds))
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .valueMode(BarGaugeValueMode.Text)
    .namePlacement(BarGaugeNamePlacement.Left)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]).values(false).fields(""));
  return { width, panel: builder.build() };
}
