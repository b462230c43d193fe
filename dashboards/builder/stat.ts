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
import { DATA_SOURCE, targets } from "./query.ts";

interface StatDefinition extends ValuePanelDefinition {
  readonly steps?: Steps;
  readonly mappings?: readonly ValueMapping[];
  /** Whether to show the series' name beside its value, because there may be several. */
  readonly named?: boolean;
}

/** A panel with one large number. */
export function stat(definition: StatDefinition): PlacedPanel {
  const { queries, width, steps = PLAIN, mappings = [], named = false } = definition;
  const builder = new PanelBuilder();
  describe(builder, definition, queries);
  measure(builder, definition.unit);
  builder
    .datasource(DATA_SOURCE)
    .targets(targets(queries))
    .thresholds(thresholdSteps(steps))
    .mappings([...mappings])
    .colorMode(BigValueColorMode.Value)
    .wideLayout(false)
    .graphMode(BigValueGraphMode.None)
    .textMode(named ? BigValueTextMode.ValueAndName : BigValueTextMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]).values(false).fields(""));
  return { width, panel: builder.build() };
}
