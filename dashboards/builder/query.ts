import { DataqueryBuilder, PromQueryFormat } from "@grafana/grafana-foundation-sdk/prometheus";
import type { DataSourceRef } from "@grafana/grafana-foundation-sdk/dashboard";

/** One query of a panel to Prometheus. */
export interface Query {
  readonly expr: string;
  /** `instant`: the value now. `range`: the values over time. `table`: the value now, with the labels as columns. */
  readonly kind: "instant" | "range" | "table";
  /** The name of each series; `{{label}}` is replaced by the label's value. */
  readonly legend?: string;
}

/** The data source selected at the top of the dashboard. */
export const DATA_SOURCE: DataSourceRef = { type: "prometheus", uid: "${datasource}" };

export function instant(expr: string, legend?: string): Query {
  return legend === undefined ? { kind: "instant", expr } : { kind: "instant", expr, legend };
}

export function range(expr: string, legend: string): Query {
  return { kind: "range", expr, legend };
}

/** Converts queries to targets of a panel, named A, B, C and so on. */
export function targets(queries: readonly Query[]): DataqueryBuilder[] {
  return queries.map(({ kind, expr, legend }, index) => {
    const target = new DataqueryBuilder().refId(refId(index)).datasource(DATA_SOURCE).expr(expr);
    if (kind === "range") target.range();
    else target.instant();
    if (kind === "table") target.format(PromQueryFormat.Table);
    return legend === undefined ? target : target.legendFormat(legend);
  });
}

export function refId(index: number): string {
  return String.fromCodePoint(65 + index);
}
