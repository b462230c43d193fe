import { readBoolean, readFields, readList, readOneOf, readText, wrong } from "../fields.ts";
import type { Route, Tags } from "../entities.ts";
import type { World } from "../world.ts";
import { dimensionNames as standardDimensions } from "./dimensions.ts";
import { compares, type Operator, readClassifierId, readValues, type Scalar } from "./filters.ts";
import { metricNames } from "./metrics.ts";

export type ClassifierDimensions = {
  readonly classifierId: string;
  readonly names: readonly string[];
  readonly includeNulls: boolean;
};
export type ClassifierFilter = {
  readonly field: string;
  readonly operator: Operator;
  readonly values: readonly Scalar[];
};
export type ClassifierFilters = {
  readonly classifierId: string;
  readonly filters: readonly ClassifierFilter[];
};

/** Contract section 8. */
const MOST_DIMENSION_NAMES = 2;
const MOST_CLASSIFIER_FILTERS = 10;

export function readClassifierDimensions(value: unknown): ClassifierDimensions {
  const name = "classifier_dimensions";
  const fields = readFields(value, name, ["classifier_id", "dimension_names", "include_nulls"]);
  const list = readList(fields["dimension_names"] ?? [], `${name}.dimension_names`, 0, MOST_DIMENSION_NAMES);
  const names = list.map((item, index) => readName(item, `${name}.dimension_names[${index}]`));
  for (const column of names) {
    const taken = [...metricNames, ...standardDimensions].some((known) => known === column);
    if (taken)
      throw wrong(`${name}.dimension_names`, column, "a name that is neither a metric nor a dimension");
  }
  const nulls = fields["include_nulls"];
  return {
    classifierId: readClassifierId(fields["classifier_id"], `${name}.classifier_id`),
    names: [...new Set(names)],
    includeNulls: nulls === undefined ? false : readBoolean(nulls, `${name}.include_nulls`),
  };
}

export function readClassifierFilters(value: unknown): ClassifierFilters {
  const name = "classifier_filters";
  const fields = readFields(value, name, ["classifier_id", "filters"]);
  const list = readList(fields["filters"], `${name}.filters`, 1, MOST_CLASSIFIER_FILTERS);
  return {
    classifierId: readClassifierId(fields["classifier_id"], `${name}.classifier_id`),
    filters: list.map((item, index) => readFilter(item, `${name}.filters[${index}]`)),
  };
}

function readFilter(value: unknown, name: string): ClassifierFilter {
  const fields = readFields(value, name, ["field", "operator", "value"]);
  const operator = readOneOf(fields["operator"], `${name}.operator`, ["eq", "neq", "in", "not_in"]);
  return {
    field: readName(fields["field"], `${name}.field`),
    operator,
    values: readValues(fields["value"], `${name}.value`, operator),
  };
}

function readName(value: unknown, name: string): string {
  const text = readText(value, name);
  if (!/^[a-z][a-z0-9_]*$/u.test(text)) throw wrong(name, value, "a snake_case name");
  return text;
}

/** The workspace needs an active classifier (2.2). Without one the answer is 400, because analytics do not list 404. */
export function refuseUnknownClassifier(world: World, classifierId: string, field: string): void {
  if (world.classifiers.get(classifierId)?.active !== true) {
    throw wrong(field, classifierId, "the id of an active classifier");
  }
}

export function tagsMatch(wanted: ClassifierFilters, route: Route): boolean {
  const tags = route.tags.get(wanted.classifierId);
  return wanted.filters.every((filter) => {
    const value = tags?.[filter.field];
    return value !== undefined && compares(filter.operator, value, filter.values);
  });
}

export type TagCells = Readonly<Record<string, Scalar | null>>;

/**
 * The cells that a route's tags add to its rows. Without names, there is one row per dimension and value; an
 * empty list means no row.
 */
export function tagCells(wanted: ClassifierDimensions, route: Route): readonly TagCells[] {
  const tags: Tags = route.tags.get(wanted.classifierId) ?? {};
  if (wanted.names.length === 0) {
    const pairs = Object.entries(tags);
    if (pairs.length > 0) {
      return pairs.map(([name, value]) => ({ clf_dimension_name: name, clf_dimension_value: value }));
    }
    return wanted.includeNulls ? [{ clf_dimension_name: null, clf_dimension_value: null }] : [];
  }
  const cells = Object.fromEntries(wanted.names.map((name) => [name, tags[name] ?? null]));
  const tagged = Object.values(cells).some((value) => value !== null);
  return tagged || wanted.includeNulls ? [cells] : [];
}
