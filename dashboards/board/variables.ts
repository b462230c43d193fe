import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";

import type { Series, TargetLabel } from "../promql.ts";
import { DATA_SOURCE } from "./query.ts";

/** The choices at the top of a dashboard. Every dashboard begins with `dataSource` and `job`. */
export function variables(...others: readonly VariableModel[]): readonly VariableModel[] {
  return [dataSource(), ...others];
}

function dataSource(): VariableModel {
  return new DatasourceVariableBuilder("datasource").label("Data source").type("prometheus").build();
}

/** Several values of a label, or all; those that are empty belong to all. */
export function several<Label extends string>(
  name: string,
  title: string,
  label: NoInfer<Label> | TargetLabel,
  of: Series<Label>,
): VariableModel {
  return sorted(labelValues(name, title, label, of).multi(true).includeAll(true).allValue(allOf(label)));
}

/** One value of a label. */
export function one<Label extends string>(
  name: string,
  title: string,
  label: NoInfer<Label> | TargetLabel,
  of: Series<Label>,
): VariableModel {
  return sorted(labelValues(name, title, label, of).multi(false).includeAll(false));
}

function sorted(builder: QueryVariableBuilder): VariableModel {
  return { ...builder.build(), sort: VariableSort.AlphabeticalAsc };
}

/** A job or an instance is never empty, what people configure may be. */
function allOf(label: string): string {
  return label === "job" || label === "instance" ? ".+" : ".*";
}

function labelValues(name: string, title: string, label: string, of: Series): QueryVariableBuilder {
  const matcher = name === "job" ? "" : '{job=~"$job"}';
  return new QueryVariableBuilder(name)
    .label(title)
    .datasource(DATA_SOURCE)
    .query(`label_values(${of.name}${matcher}, ${label})`)
    .definition(`label_values(${of.name}${matcher}, ${label})`)
    .refresh(VariableRefresh.OnTimeRangeChanged);
}
