import type { Account } from "../entities.ts";
import { isUuid, readBoolean, readFields, readList, readOneOf, wrong } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { type DimensionName, dimensionNames, dimensionsWithUnset, type Member } from "./dimensions.ts";

export const operators = ["eq", "neq", "gt", "gte", "lt", "lte", "in", "not_in"] as const;
export type Operator = (typeof operators)[number];
export type Scalar = string | number;
export type Filter = {
  readonly field: DimensionName;
  readonly operator: Operator;
  readonly values: readonly Scalar[];
  readonly includeUnset: boolean;
};

/** Contract section 8. */
const MOST_FILTERS = 20;

export function readFilters(value: unknown): readonly Filter[] {
  const filters = readList(value, "filters", 0, MOST_FILTERS);
  return filters.map((filter, index) => readFilter(filter, `filters[${index}]`));
}

function readFilter(value: unknown, name: string): Filter {
  const filter = readFields(value, name, ["field", "operator", "value", "include_unset"]);
  const field = readOneOf(filter["field"], `${name}.field`, dimensionNames);
  const operator = readOneOf(filter["operator"], `${name}.operator`, operators);
  const values = readValues(filter["value"], `${name}.value`, operator);
  for (const candidate of values) refuseLabel(field, candidate, `${name}.value`);
  const unset = filter["include_unset"];
  const includeUnset = unset === undefined ? false : readBoolean(unset, `${name}.include_unset`);
  if (includeUnset && operator !== "in" && operator !== "not_in") {
    throw wrong(
      `${name}.include_unset`,
      unset,
      `none with operator "${operator}" (only in and not_in allow it)`,
    );
  }
  if (includeUnset && !dimensionsWithUnset.includes(field)) {
    throw wrong(`${name}.include_unset`, unset, `none, because "${field}" has no unset bucket`);
  }
  return { field, operator, values, includeUnset };
}

/** A scalar or an array, depending on the operator. */
function readValues(value: unknown, name: string, operator: Operator): readonly Scalar[] {
  if (operator !== "in" && operator !== "not_in") return [readScalar(value, name)];
  return readList(value, name, 0, Number.POSITIVE_INFINITY).map((item, index) =>
    readScalar(item, `${name}[${index}]`),
  );
}

function readScalar(value: unknown, name: string): Scalar {
  if (typeof value === "string" || (typeof value === "number" && Number.isFinite(value))) return value;
  throw wrong(name, value, "a string or a number");
}

const numericId = /^\d+$/u;
const keyHash = /^[0-9a-f]{64}$/u;

/**
 * A filter uses the underlying identifier (2.1), so a value that can only be a label is an error rather than
 * an empty answer. For an app's title it is a 500.
 */
function refuseLabel(field: DimensionName, value: Scalar, name: string): void {
  const text = String(value);
  if (field === "api_key_id" && !numericId.test(text) && !keyHash.test(text)) {
    throw wrong(name, value, "a numeric key id or a 64-character hex key hash");
  }
  if (field === "app" && !numericId.test(text)) throw new Refusal(500);
  if (field === "workspace" && !isUuid(text)) throw wrong(name, value, "a workspace UUID, not a name");
}

export function readClassifierId(value: unknown, name: string): string {
  if (typeof value === "string" && isUuid(value)) return value;
  throw wrong(name, value, "a UUID");
}

/**
 * Resolves the hashes of an account's keys to their ids. Any other hash, that of a deleted key included, is
 * left unchanged, matches nothing, and causes a warning (2.4).
 */
export function resolveHashes(filters: readonly Filter[], world: World, account: Account): ResolvedFilters {
  const known = [...world.keys.values()].filter((key) => key.account === account && key.deletedAt === null);
  const ids = new Map(known.map((key) => [key.hash, key.id]));
  const warnings: string[] = [];
  const resolve = (value: Scalar): Scalar => {
    if (typeof value !== "string" || !keyHash.test(value)) return value;
    const id = ids.get(value);
    if (id === undefined) warnings.push(`Could not resolve api_key_id hash "${value}"`);
    return id ?? value;
  };
  const resolved = filters.map((filter) =>
    filter.field === "api_key_id" ? { ...filter, values: filter.values.map(resolve) } : filter,
  );
  return { filters: resolved, warnings };
}

export type ResolvedFilters = { readonly filters: readonly Filter[]; readonly warnings: readonly string[] };

/** No comparison matches the unset bucket; `include_unset` adds it. */
export function matches(filter: Filter, member: Member): boolean {
  if (member === null) return filter.includeUnset;
  return compares(filter.operator, member.id, filter.values);
}

export function compares(operator: Operator, id: Scalar, values: readonly Scalar[]): boolean {
  const [first] = values;
  switch (operator) {
    case "in":
      return values.some((value) => order(id, value) === 0);
    case "not_in":
      return values.every((value) => order(id, value) !== 0);
    case "eq":
      return first !== undefined && order(id, first) === 0;
    case "neq":
      return first !== undefined && order(id, first) !== 0;
    case "gt":
      return first !== undefined && order(id, first) > 0;
    case "gte":
      return first !== undefined && order(id, first) >= 0;
    case "lt":
      return first !== undefined && order(id, first) < 0;
    case "lte":
      return first !== undefined && order(id, first) <= 0;
  }
}

/** Treats numbers and strings of digits as numbers, and everything else as text. */
function order(left: Scalar, right: Scalar): number {
  const numeric = numericId.test(String(left)) && numericId.test(String(right));
  const [a, b] = numeric ? [Number(left), Number(right)] : [String(left), String(right)];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
