import type { FieldConfigSource } from "@grafana/data";
import type {
  BarGaugeDisplayMode,
  BarGaugeNamePlacement,
  BarGaugeValueMode,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueJustifyMode,
  BigValueTextMode,
  ReduceDataOptions,
  TableCellHeight,
  TableSortByFieldState,
  VizLegendOptions,
} from "@grafana/schema";

/** The parts of a dashboard's JSON that the preview draws. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly time: { readonly from: string };
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

export interface Variable {
  readonly type: string;
  readonly name: string;
  readonly label: string;
  readonly query: string;
  readonly includeAll?: boolean;
  readonly allValue?: string;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly interval?: string;
  readonly timeFrom?: string;
  readonly targets?: readonly Target[];
  readonly transformations?: readonly { readonly id: string; readonly options: object }[];
  readonly options: PanelOptions;
  readonly fieldConfig: FieldConfigSource;
}

/** Options of all panel types; each type uses its own subset. */
interface PanelOptions {
  readonly legend: VizLegendOptions;
  readonly reduceOptions: ReduceDataOptions;
  readonly colorMode: BigValueColorMode;
  readonly graphMode: BigValueGraphMode;
  readonly justifyMode: BigValueJustifyMode;
  readonly textMode: BigValueTextMode;
  readonly wideLayout: boolean;
  readonly displayMode: BarGaugeDisplayMode;
  readonly valueMode: BarGaugeValueMode;
  readonly namePlacement: BarGaugeNamePlacement;
  readonly showUnfilled: boolean;
  readonly sortBy?: TableSortByFieldState[];
  readonly cellHeight?: TableCellHeight;
}

export interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly instant?: boolean;
  readonly format?: string;
  readonly legendFormat?: string;
}
