import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";

import type { Series, TargetLabel } from "../promql.ts";
import { DATA_SOURCE } from "./query.ts";

/** The variables at the top of a dashboard. Every dashboard begins with `dataSource` and `job`. */
export function variables(...others: readonly VariableModel[]): readonly VariableModel[] {
  return [dataSource(), ...others];
}

function dataSource(): VariableModel {
  return new DatasourceVariableBuilder("datasource").label("Data source").type("prometheus").build();
}

/** Selects several values of a label, or all of them; "all" includes empty values. */
export function several<Label extends string>(
  name: string,
  title: string,
  label: NoInfer<Label> | TargetLabel,
  of: Series<Label>,
): VariableModel {
  return sorted(labelValues(name, title, label, of).multi(true).includeAll(true).allValue(allOf(label)));
}

/** Selects one value of a label. */
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

/** The job and instance labels are never empty; labels that come from the configuration may be. */
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
