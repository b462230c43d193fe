import {
  BarGaugeDisplayMode,
  BarGaugeValueMode,
  TableCellDisplayMode,
  TableSortByFieldStateBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import {
  type DashboardLink,
  type DataTransformerConfig,
  type DynamicConfigValue,
  MappingType,
  SpecialValueMatch,
  type ValueMapping,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { PanelBuilder } from "@grafana/grafana-foundation-sdk/table";

import { legible } from "../colors.ts";
import { PLAIN, type Steps, thresholdSteps } from "./color.ts";
import { describe, type PanelDefinition, type PlacedPanel } from "./panel.ts";
import { DATA_SOURCE, type Query, refId, targets } from "./query.ts";
import type { Unit } from "./unit.ts";

interface TableDefinition extends PanelDefinition {
  readonly columns: readonly Column[];
  /** The columns to sort by, largest first if `desc`. */
  readonly sortBy: readonly { readonly title: string; readonly desc: boolean }[];
  /** Labels of the expressions that are not shown. */
  readonly hidden?: readonly string[];
}

export type Column = LabelColumn | ValueColumn;

interface LabelColumn {
  readonly kind: "label";
  readonly label: string;
  readonly title: string;
  readonly width?: number;
  /** A URL; Grafana replaces `${__value.raw}` with the cell's text. */
  readonly link?: Link;
}

interface ValueColumn {
  readonly kind: "value";
  readonly title: string;
  readonly expr: string;
  readonly width?: number;
  readonly unit: Unit;
  readonly steps?: Steps;
  readonly mappings?: readonly ValueMapping[];
  /** `gauge`: a bar from 0 to 1. `background`: the cell is coloured. `text`: the number is coloured. */
  readonly cell?: "gauge" | "background" | "text";
  /** Hides the column: its query only supplies the rows. */
  readonly hidden?: boolean;
}

interface Link {
  readonly title: string;
  readonly url: string;
}

export function labelColumn(
  label: string,
  title: string,
  options: Pick<LabelColumn, "width" | "link"> = {},
): Column {
  return { kind: "label", label, title, ...options };
}

export function valueColumn(
  title: string,
  expr: string,
  unit: Unit,
  options: Omit<ValueColumn, "kind" | "title" | "expr" | "unit"> = {},
): Column {
  return { kind: "value", title, expr, unit, ...options };
}

/** A table with one row for each set of labels and one column for each expression. */
export function table(definition: TableDefinition): PlacedPanel {
  const { columns, width, sortBy, hidden = [] } = definition;
  const values = columns.filter((column) => column.kind === "value");
  const queries = values.map(({ expr }): Query => ({ kind: "table", expr }));
  const builder = new PanelBuilder();
  describe(builder, definition, queries);
  builder
    .datasource(DATA_SOURCE)
    .targets(targets(queries))
    .filterable(false)
    .unit("none")
    .transformations(transformations(columns, hidden))
    .sortBy(
      sortBy.map(({ title, desc }) => new TableSortByFieldStateBuilder().displayName(title).desc(desc)),
    );
  // An empty cell is not zero. A table without rows shows the panel's empty text.
  for (const column of columns) builder.overrideByName(column.title, properties(column));
  return { width, panel: builder.build() };
}

/** Joins the results by their common labels, then orders and names the columns. */
function transformations(columns: readonly Column[], hidden: readonly string[]): DataTransformerConfig[] {
  const values = columns.filter((column) => column.kind === "value");
  // Grafana names the value of a single query "Value", and those of several queries "Value #A", "Value #B" and so on.
  const field = (column: Column): string => {
    if (column.kind === "label") return column.label;
    return values.length === 1 ? "Value" : `Value #${refId(values.indexOf(column))}`;
  };
  const isHidden = (column: Column): boolean => column.kind === "value" && column.hidden === true;
  const excluded = ["Time", ...hidden, ...columns.filter(isHidden).map(field)];
  const shown = columns.filter((column) => !isHidden(column));
  return [
    ...(values.length > 1 ? [{ id: "merge", options: {} }] : []),
    {
      id: "organize",
      options: {
        excludeByName: Object.fromEntries(excluded.map((name) => [name, true])),
        indexByName: Object.fromEntries(shown.map((column, index) => [field(column), index])),
        renameByName: Object.fromEntries(shown.map((column) => [field(column), column.title])),
      },
    },
  ];
}

function properties(column: Column): DynamicConfigValue[] {
  const width = column.width === undefined ? [] : [{ id: "custom.width", value: column.width }];
  if (column.kind === "label") {
    const links = column.link ? [{ id: "links", value: [dataLink(column.link)] }] : [];
    return [...width, { id: "noValue", value: NOTHING }, WRAPPED, ...links];
  }
  const { unit, steps, mappings = [], cell } = column;
  return [
    ...width,
    // Grafana's default width would leave no room for the last columns.
    { id: "custom.minWidth", value: Math.max(95, roomFor([column.title, ...textsOf(mappings)])) },
    { id: "unit", value: unit.id },
    ...(unit.decimals === undefined ? [] : [{ id: "decimals", value: unit.decimals }]),
    { id: "noValue", value: NOTHING },
    ...(mappings.length === 0 && !cell ? [] : [{ id: "mappings", value: [...mappings, NOTHING_PLAIN] }]),
    ...((steps ?? cell) ? [{ id: "thresholds", value: thresholdSteps(steps ?? PLAIN).build() }] : []),
    ...cellProperties(cell),
  ];
}

/** Pixels for the longest text in Grafana's font of 14 px, with the cell's padding. */
function roomFor(texts: readonly string[]): number {
  return Math.ceil(7.4 * Math.max(...texts.map(({ length }) => length)) + 12);
}

function textsOf(mappings: readonly ValueMapping[]): readonly string[] {
  return mappings.flatMap((mapping) =>
    mapping.type === MappingType.ValueToText
      ? Object.values(mapping.options).map(({ text = "" }) => text)
      : [],
  );
}

const NOTHING = "–";

/** A name that is longer than its column continues in the next line. */
const WRAPPED: DynamicConfigValue = {
  id: "custom.cellOptions",
  value: { type: TableCellDisplayMode.Auto, wrapText: true },
};

/** Without this, an empty cell would have the colour of the smallest value. */
const NOTHING_PLAIN: ValueMapping = {
  type: MappingType.SpecialValue,
  options: { match: SpecialValueMatch.NullAndNan, result: { text: NOTHING, color: "text" } },
};

function cellProperties(cell: ValueColumn["cell"]): DynamicConfigValue[] {
  const color = { id: "color", value: { mode: "thresholds" } };
  switch (cell) {
    case "gauge":
      return [
        color,
        { id: "min", value: 0 },
        { id: "max", value: 1 },
        {
          id: "custom.cellOptions",
          value: {
            type: TableCellDisplayMode.Gauge,
            mode: BarGaugeDisplayMode.Basic,
            valueDisplayMode: BarGaugeValueMode.Text,
          },
        },
      ];
    case "background":
      return [
        color,
        { id: "custom.cellOptions", value: { type: TableCellDisplayMode.ColorBackground, mode: "basic" } },
      ];
    case "text":
      return [color, { id: "custom.cellOptions", value: { type: TableCellDisplayMode.ColorText } }];
    case undefined:
      return [];
  }
}

function dataLink({ title, url }: Link): Pick<DashboardLink, "title" | "url"> {
  return { title, url };
}

/** Shows texts instead of numbers. */
export function valueTexts(
  texts: Readonly<Record<string, { readonly text: string; readonly color?: string }>>,
): ValueMapping {
  const options = Object.entries(texts).map(
    ([value, { text, color }], index) =>
      [value, { text, index, ...(color !== undefined && { color: legible(color) }) }] as const,
  );
  return { type: MappingType.ValueToText, options: Object.fromEntries(options) };
}
