import { readBoolean, readFields, readList, readText, wrong } from "../fields.ts";
import type { Route, Tags } from "../entities.ts";
import type { World } from "../world.ts";
import { dimensionNames as standardDimensions } from "./dimensions.ts";
import { readClassifierId, type Scalar } from "./filters.ts";
import { metricNames } from "./metrics.ts";

export type ClassifierDimensions = {
  readonly classifierId: string;
  readonly names: readonly string[];
  readonly includeNulls: boolean;
};
/** Contract section 8. */
const MOST_DIMENSION_NAMES = 2;

export function readClassifierDimensions(value: unknown): ClassifierDimensions {
  const name = "classifier_dimensions";
  const fields = readFields(value, name, ["classifier_id", "dimension_names", "include_nulls"]);
  const list = readList(fields["dimension_names"], `${name}.dimension_names`, 1, MOST_DIMENSION_NAMES);
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

function readName(value: unknown, name: string): string {
  const text = readText(value, name);
  if (!/^[a-z][a-z0-9_]*$/u.test(text)) throw wrong(name, value, "a snake_case name");
  return text;
}

/** The answer about an unknown classifier is 400, because analytics do not list 404. */
export function refuseUnknownClassifier(world: World, classifierId: string, field: string): void {
  if (!world.classifiers.has(classifierId)) {
    throw wrong(field, classifierId, "the id of a classifier of the account");
  }
}

export type TagCells = Readonly<Record<string, Scalar | null>>;

/** The cells that a route's tags add to its rows; an empty list means no row. */
export function tagCells(wanted: ClassifierDimensions, route: Route): readonly TagCells[] {
  const tags: Tags = route.tags.get(wanted.classifierId) ?? {};
  const cells = Object.fromEntries(wanted.names.map((name) => [name, tags[name] ?? null]));
  const tagged = Object.values(cells).some((value) => value !== null);
  return tagged || wanted.includeNulls ? [cells] : [];
}
