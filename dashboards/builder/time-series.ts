import {
  BarAlignment,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  LineInterpolation,
  LineStyleBuilder,
  ScaleDistribution,
  ScaleDistributionConfigBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import { FieldColorBuilder, FieldColorModeId } from "@grafana/grafana-foundation-sdk/dashboard";
import { PanelBuilder } from "@grafana/grafana-foundation-sdk/timeseries";

import type { Color } from "../colors.ts";
import { describe, measure, type PlacedPanel, type ValuePanelDefinition } from "./panel.ts";
import { DATA_SOURCE, targets } from "./query.ts";
import { type Unit, unit } from "./unit.ts";

interface TimeSeriesDefinition extends ValuePanelDefinition {
  /** The smallest step between two points. */
  readonly interval?: string;
  /** A time range that replaces the dashboard's: `now/M` is this month. */
  readonly timeFrom?: string;
  /** Figures shown in the legend: `sum` or `lastNotNull`. */
  readonly calcs?: readonly string[];
}

interface LinesDefinition extends TimeSeriesDefinition {
  readonly log?: boolean;
  /** Draws steps, for values that hold until the next one, such as limits. */
  readonly stepped?: boolean;
  readonly max?: number;
  /** Gaps up to this many milliseconds are bridged, because the missing value lies between its neighbours. */
  readonly bridgeMs?: number;
  /** Reference series by name, with the colour of their dashed line. */
  readonly dashed?: Readonly<Record<string, Color>>;
}

/** Lines, for values that go up and down. */
export function lines(definition: LinesDefinition): PlacedPanel {
  const builder = timeSeries({ ...definition, empty: `${NEW_GRAPH}: ${definition.empty}` });
  builder
    .drawStyle(GraphDrawStyle.Line)
    .lineWidth(2)
    .fillOpacity(0)
    .showPoints(VisibilityMode.Always)
    .pointSize(POINT)
    .lineInterpolation(definition.stepped ? LineInterpolation.StepAfter : LineInterpolation.Linear);
  if (definition.log) {
    // Grafana would take the decimals of the largest tick for all, and write 0 at the smaller ones.
    builder
      .scaleDistribution(new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(10))
      .decimals(1)
      .min(0.1);
  } else {
    builder.axisSoftMin(0);
  }
  if (definition.max !== undefined) builder.max(definition.max);
  if (definition.bridgeMs !== undefined) builder.spanNulls(definition.bridgeMs);
  for (const [name, color] of Object.entries(definition.dashed ?? {})) {
    builder.overrideByName(name, [
      { id: "custom.lineStyle", value: new LineStyleBuilder().fill("dash").dash([8, 8]).build() },
      { id: "custom.showPoints", value: VisibilityMode.Never },
      { id: "color", value: { mode: FieldColorModeId.Fixed, fixedColor: color } },
    ]);
  }
  return { width: definition.width, panel: builder.build() };
}

/** Slightly thicker than the line, so that a graph with one point is not empty. */
const POINT = 3;

/** Grafana asks for points at whole steps only: 44 minutes for a graph of 30 days. */
const NEW_GRAPH = "A new graph begins within an hour. If it stays empty";

/** Stacked bars, for values that add up. Each bar begins where its period begins. */
export function bars(definition: TimeSeriesDefinition & { readonly interval: string }): PlacedPanel {
  const builder = timeSeries(definition)
    .drawStyle(GraphDrawStyle.Bars)
    .lineWidth(0)
    .fillOpacity(90)
    .barAlignment(BarAlignment.After)
    .barWidthFactor(0.85)
    .showPoints(VisibilityMode.Never)
    .axisSoftMin(0)
    .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group("A"));
  return { width: definition.width, panel: builder.build() };
}

function timeSeries(definition: TimeSeriesDefinition): PanelBuilder {
  const { queries, calcs = [], interval, timeFrom } = definition;
  const builder = new PanelBuilder();
  describe(builder, definition, queries);
  const axis = axisUnit(definition.unit);
  measure(builder, axis);
  // A range of ten times the last decimal, so that small amounts do not repeat the same text at each tick.
  if (axis.decimals !== undefined) builder.axisSoftMax(10 / 10 ** axis.decimals);
  else if (definition.unit === unit.count) builder.axisSoftMax(5);
  builder
    .datasource(DATA_SOURCE)
    .targets(targets(queries))
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassic))
    .tooltip({ build: () => ({ mode: TooltipDisplayMode.Multi, sort: SortOrder.Descending }) })
    .legend(legend(calcs));
  if (interval !== undefined) builder.interval(interval);
  if (timeFrom !== undefined) builder.timeFrom(timeFrom);
  return builder;
}

/** Fixed decimals would give neighbouring ticks the same text, such as 0.1 and 0.1. Amounts keep their two. */
function axisUnit({ id, decimals }: Unit): Unit {
  return decimals === unit.credits.decimals ? { id, decimals } : { id };
}

/** A legend with figures is a table on the right, largest first; without figures it is a list below the graph. */
function legend(calcs: readonly string[]): VizLegendOptionsBuilder {
  const builder = new VizLegendOptionsBuilder().showLegend(true).calcs([...calcs]);
  const [first] = calcs;
  if (first === undefined) {
    return builder.displayMode(LegendDisplayMode.List).placement(LegendPlacement.Bottom);
  }
  return builder
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Right)
    .sortBy(LEGEND_TITLES[first] ?? first)
    .sortDesc(true);
}

const LEGEND_TITLES: Readonly<Record<string, string>> = { sum: "Total", lastNotNull: "Last *" };
