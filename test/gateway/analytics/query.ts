import { addFigures, type Entry, type Ledger, noFigures } from "../ledger.ts";
import { DAY } from "../windows.ts";
import type { Account, Route } from "../entities.ts";
import { tagCells } from "./classifiers.ts";
import { type DimensionName, type Member, memberOf } from "./dimensions.ts";
import { type Filter, matches } from "./filters.ts";
import { isPercentile, type Sums } from "./metrics.ts";
import type { AnalyticsRequest, TimeRange } from "./request.ts";
import { bucketStart, type Granularity } from "./time.ts";

/** The cells that all rows of one combination of dimensions share. */
export type Group = {
  readonly name: string;
  readonly members: ReadonlyMap<DimensionName, Member>;
  readonly tags: Readonly<Record<string, string | number | null>>;
};
export type Row = { readonly group: Group; readonly bucket: number | null; readonly sums: Sums };

export type Question = {
  readonly request: AnalyticsRequest;
  readonly filters: readonly Filter[];
  readonly account: Account;
  readonly range: TimeRange;
  /** Entries after this time are not yet known. */
  readonly knownAt: number;
};

/** Sums the ledger by dimensions and time buckets, in no particular order. Groups differ by identifier, not by label. */
export function runQuery(ledger: Ledger, question: Question): Row[] {
  const { request, range, knownAt } = question;
  const groupsOf = createGrouping(question);
  const withLatencies = request.metrics.some(isPercentile);
  const rows = createRows(request.granularity === null);
  const bucketOf = createBucketing(request.granularity);
  for (const page of ledger.pages(range.start, Math.min(range.end, knownAt))) {
    for (const keyDay of page.keyDays) {
      if (canUseSums(question, page.day, keyDay.lastAt)) {
        for (const [route, figures] of keyDay.sums) {
          for (const group of groupsOf(route)) addFigures(rows.of(group, bucketOf(page.day * DAY)), figures);
        }
        continue;
      }
      for (const entry of keyDay.entries) {
        if (entry.at < range.start || entry.at >= range.end || entry.at > knownAt) continue;
        for (const group of groupsOf(entry.route)) {
          const sums = rows.of(group, bucketOf(entry.at));
          addFigures(sums, entry);
          if (withLatencies) addLatency(sums, entry);
        }
      }
    }
  }
  const isOneRow = request.dimensions.length === 0 && request.classifierDimensions === null;
  if (isOneRow && request.granularity === null) rows.of(everything, null);
  return rows.all;
}

/** Uses the ledger's daily sums for days that lie fully in the range, are fully known and need no finer resolution. */
function canUseSums(question: Question, day: number, lastAt: number): boolean {
  const { request, range, knownAt } = question;
  const isFine = request.granularity === "minute" || request.granularity === "hour";
  if (isFine || request.metrics.some(isPercentile)) return false;
  return day * DAY >= range.start && (day + 1) * DAY <= range.end && lastAt <= knownAt;
}

const everything: Group = { name: "[]", members: new Map(), tags: {} };

/** The groups that a route belongs to, computed once per route; empty if a filter excludes it. */
function createGrouping(question: Question): (route: Route) => readonly Group[] {
  const groups = new Map<string, Group>([[everything.name, everything]]);
  const known: (readonly Group[] | undefined)[] = [];
  const { request } = question;
  const find = (route: Route): readonly Group[] => {
    if (!isWanted(question, route)) return [];
    const members = request.dimensions.map((name) => [name, memberOf(name, route)] as const);
    const cells =
      request.classifierDimensions === null ? [{}] : tagCells(request.classifierDimensions, route);
    return cells.map((tags) => {
      const ids = members.map(([, member]) => member?.id ?? null);
      const name = JSON.stringify([...ids, ...Object.values(tags)]);
      const group = groups.get(name) ?? { name, members: new Map(members), tags };
      groups.set(name, group);
      return group;
    });
  };
  return (route) => (known[route.index] ??= find(route));
}

function isWanted(question: Question, route: Route): boolean {
  const { filters, account } = question;
  return (
    route.key.account === account && filters.every((filter) => matches(filter, memberOf(filter.field, route)))
  );
}

/** Remembers the last bucket, because entries of one bucket are mostly consecutive. */
function createBucketing(granularity: Granularity | null): (at: number) => number | null {
  if (granularity === null) return () => null;
  if (granularity !== "week" && granularity !== "month") return (at) => bucketStart(granularity, at);
  const days = new Map<number, number>();
  return (at) => {
    const day = bucketStart("day", at);
    const start = days.get(day) ?? bucketStart(granularity, day);
    days.set(day, start);
    return start;
  };
}

function createRows(isFlat: boolean) {
  const all: Row[] = [];
  const flat = new Map<Group, Sums>();
  const series = new Map<Group, Map<number | null, Sums>>();
  const add = (group: Group, bucket: number | null): Sums => {
    const sums = noSums();
    all.push({ group, bucket, sums });
    return sums;
  };
  const flatOf = (group: Group): Sums => {
    let sums = flat.get(group);
    if (sums === undefined) flat.set(group, (sums = add(group, null)));
    return sums;
  };
  const seriesOf = (group: Group, bucket: number | null): Sums => {
    let buckets = series.get(group);
    if (buckets === undefined) series.set(group, (buckets = new Map()));
    let sums = buckets.get(bucket);
    if (sums === undefined) buckets.set(bucket, (sums = add(group, bucket)));
    return sums;
  };
  return { all, of: isFlat ? flatOf : seriesOf };
}

function noSums(): Sums {
  return { ...noFigures, latencies: [] };
}

function addLatency(sums: Sums, entry: Entry): void {
  sums.latencies.push({ ms: entry.latencyMs / Math.max(1, entry.requests), requests: entry.requests });
}
