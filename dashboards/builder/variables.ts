import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";

import type { Series, TargetLabel } from "../promql.ts";
import { DATA_SOURCE } from "./query.ts";

/**
 * The variables at the top of a dashboard. Every dashboard begins with data source, job and gateway, whose
 * values are those of `scraped`.
 */
export function variables(scraped: Series, ...others: readonly VariableModel[]): readonly VariableModel[] {
  const [job, gateway] = [
    several("job", "Job", "job", scraped),
    several("gateway", "Gateway", "gateway", scraped),
  ];
  return [dataSource(), job, gateway, ...others];
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

/** Selects one value of a label; `except` is a pattern of values that are not offered. */
export function one<Label extends string>(
  name: string,
  title: string,
  label: NoInfer<Label> | TargetLabel,
  of: Series<Label>,
  except?: string,
): VariableModel {
  return sorted(labelValues(name, title, label, of, except).multi(false).includeAll(false));
}

/** Selects one value of a label in the order of a query's results, the first of which is the default. */
export function ranked(name: string, title: string, expr: string): VariableModel {
  const query = `query_result(${expr})`;
  const builder = new QueryVariableBuilder(name)
    .label(title)
    .datasource(DATA_SOURCE)
    .query(query)
    .definition(query)
    .regex(`/${name}="([^"]*)"/`)
    .refresh(VariableRefresh.OnTimeRangeChanged);
  return { ...builder.multi(false).includeAll(false).build(), sort: VariableSort.Disabled };
}

function sorted(builder: QueryVariableBuilder): VariableModel {
  return { ...builder.build(), sort: VariableSort.AlphabeticalAsc };
}

/** The job and instance labels are never empty; labels that come from the configuration may be. */
function allOf(label: string): string {
  return label === "job" || label === "instance" ? ".+" : ".*";
}

function labelValues(
  name: string,
  title: string,
  label: string,
  of: Series,
  except?: string,
): QueryVariableBuilder {
  const matchers = [
    ...(name === "job" ? [] : ['job=~"$job"']),
    ...(name === "job" || name === "gateway" ? [] : ['gateway=~"$gateway"']),
    ...(except === undefined ? [] : [`${label}!~"${except}"`]),
  ];
  const selector = matchers.length === 0 ? of.name : `${of.name}{${matchers.join(",")}}`;
  return new QueryVariableBuilder(name)
    .label(title)
    .datasource(DATA_SOURCE)
    .query(`label_values(${selector}, ${label})`)
    .definition(`label_values(${selector}, ${label})`)
    .refresh(VariableRefresh.OnTimeRangeChanged);
}
