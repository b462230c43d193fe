import {
  FieldConfigOptionsRegistry,
  standardFieldConfigEditorRegistry,
  type FieldConfigPropertyItem,
} from "@grafana/data";

/** Options of every field. Grafana registers them in its application, which the preview does not load. */
const STANDARD = [
  "unit",
  "min",
  "max",
  "decimals",
  "displayName",
  "color",
  "thresholds",
  "mappings",
  "noValue",
  "links",
];

/** Options of graphs and tables, with their defaults. */
const CUSTOM: Readonly<Record<string, unknown>> = {
  drawStyle: "line",
  fillOpacity: 0,
  lineWidth: 1,
  lineStyle: { fill: "solid" },
  showPoints: "auto",
  lineInterpolation: "linear",
  axisPlacement: "auto",
  axisSoftMin: undefined,
  axisSoftMax: undefined,
  thresholdsStyle: { mode: "off" },
  stacking: { mode: "none", group: "A" },
  hideFrom: { legend: false, tooltip: false, viz: false },
  scaleDistribution: { type: "linear" },
  pointSize: 5,
  gradientMode: "none",
  barAlignment: 0,
  barWidthFactor: 0.6,
  barMaxWidth: 200,
  spanNulls: false,
  insertNulls: false,
  width: undefined,
  minWidth: undefined,
  align: "auto",
  cellOptions: { type: "auto" },
  inspect: false,
  filterable: false,
};

function option(
  id: string,
  path: string,
  isCustom: boolean,
  defaultValue?: unknown,
): FieldConfigPropertyItem {
  return {
    id,
    path,
    name: id,
    isCustom,
    defaultValue,
    process: (value: unknown) => value,
    shouldApply: () => true,
    settings: {},
    editor: () => null,
    override: () => null,
  };
}

standardFieldConfigEditorRegistry.setInit(() => STANDARD.map((id) => option(id, id, false)));

/** The registry of all options that a dashboard can set on a field. */
export const fieldOptions = new FieldConfigOptionsRegistry();
for (const item of standardFieldConfigEditorRegistry.list()) fieldOptions.register(item);
for (const [id, value] of Object.entries(CUSTOM))
  fieldOptions.register(option(`custom.${id}`, id, true, value));
