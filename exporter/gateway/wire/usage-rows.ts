import { z } from "zod";
import { decimalRest } from "../../metrics/decimal-sum.ts";
import { inParts } from "../../time/event-loop.ts";
import { epochMilliseconds, FIRST_MILLISECOND_EPOCH, utcMilliseconds } from "../../time/utc-time.ts";
import type { Granularity } from "../../time/window.ts";
import { GatewayError } from "../errors.ts";
import { type Amounts, AMOUNTS, NO_AMOUNTS, NO_RATES, type Rates, RATES, type UsageAnswer } from "../port.ts";
import { optional, parseBody, shapeProblem, wireNumber } from "./fields.ts";
import { AMOUNT_METRICS, CREDITS_METRIC, RATE_METRICS, ROW_LIMIT, type UsageColumns } from "./usage.ts";

/** An answer of `POST /analytics/query` (contract 2.4). */
export interface UsageRows extends UsageAnswer {
  readonly rows: readonly UsageRow[];
}

export interface UsageRow {
  /** One for each requested dimension. */
  readonly labels: readonly (string | null)[];
  /** The beginning of the hour or the day, epoch milliseconds; undefined if not requested. */
  readonly startMs: number | undefined;
  readonly amounts: Amounts;
  readonly rates: Rates;
}

/**
 * Other work runs meanwhile, because an answer may have many thousand rows.
 * @throws GatewayError `bad_response` when the shape is wrong, or no row of several can be read.
 */
export async function parseUsageRows(
  body: unknown,
  columns: UsageColumns,
  action: string,
): Promise<UsageRows> {
  const { data: sentRows, metadata, cachedAt, warnings } = parseBody(UsageBody, body, action).data;
  const wireRows = sentRows.slice(0, mostRows(columns));
  const [labels, values] = [labelColumns(columns), valueColumns(columns)];
  let isByokKnown = columns.creditMetric.byok;
  let rowProblem: string | undefined;
  const readRows = await inParts(wireRows, (wireRow): readonly UsageRow[] => {
    const [names, row] = [labels.safeParse(wireRow), values.safeParse(wireRow)];
    const time = timeOf(wireRow, columns.granularity);
    if (!names.success || !row.success || !time) {
      rowProblem ??= problemOf(names.error ?? row.error);
      return [];
    }
    isByokKnown &&= row.data.isByokKnown;
    return [
      { labels: columns.dimensions.map((name) => names.data[name] ?? null), ...time, ...row.data.read },
    ];
  });
  const rows = readRows.flat();
  if (rows.length === 0 && rowProblem !== undefined) {
    const message = `Cannot ${action}: none of the ${wireRows.length} rows can be read (the first: ${rowProblem})`;
    throw new GatewayError("bad_response", message);
  }
  return {
    ...chargedRows(rows, columns, isByokKnown),
    unreadableRows: wireRows.length - rows.length,
    rowProblem,
    truncated: metadata.truncated || Math.max(sentRows.length, metadata.row_count ?? 0) > wireRows.length,
    warnings: warnings?.length ?? 0,
    warnedHashes: warnings && hashesIn(warnings),
    computedAtMs: cachedAt,
    queryTimeMs: metadata.query_time_ms,
  };
}

/** The service raises its cap for rows by hour or by day (contract 2.1, rule 2). */
function mostRows({ granularity }: UsageColumns): number {
  return granularity ? Infinity : ROW_LIMIT;
}

/**
 * The time of a row if one was requested; undefined if it cannot be read. The prefix of the column differs,
 * and the service may send a short form (observed-behaviour 2).
 */
function timeOf(
  wireRow: unknown,
  granularity: Granularity | undefined,
): Pick<UsageRow, "startMs"> | undefined {
  if (granularity === undefined) return { startMs: undefined };
  const row = timeColumns.safeParse(wireRow).data ?? {};
  const [, text] = Object.entries(row).find(([name]) => name.endsWith(`__${granularity}`)) ?? [];
  const startMs = typeof text === "string" ? utcMilliseconds(text) : undefined;
  return startMs === undefined ? undefined : { startMs };
}

const timeColumns = z.record(z.string(), z.unknown());

/** The rows with what was charged to credits. A service that omits the column of BYOK may count that as credits. */
function chargedRows(
  rows: readonly UsageRow[],
  { creditMetric }: UsageColumns,
  isByokKnown: boolean,
): Pick<UsageRows, "rows" | "creditsSource"> {
  if (creditMetric.credits === CREDITS_METRIC) return { rows, creditsSource: "credits" };
  if (rows.some(hasMoreByok)) return { rows, creditsSource: "total" };
  return { rows: rows.map(withoutByok), creditsSource: isByokKnown ? "total_less_byok" : "total" };
}

/** Whether the total of a row cannot contain its BYOK. */
function hasMoreByok({ amounts: { credits = NaN, byokCredits = 0 } }: UsageRow): boolean {
  return credits >= 0 && byokCredits > credits;
}

/** A hash that cannot be resolved is named in a warning (contract 2.4). */
function hashesIn(warnings: readonly unknown[]): ReadonlySet<string> | undefined {
  if (warnings.length === 0) return undefined;
  const texts = warnings.filter((warning) => typeof warning === "string");
  return new Set(texts.flatMap((text) => text.toLowerCase().match(HASH) ?? []));
}

const HASH = /\b[0-9a-f]{64}\b/g;

/** Without an error, the time was wrong. */
function problemOf(error: z.ZodError | undefined): string {
  return error ? shapeProblem(error) : "the time column: Invalid input: expected a time";
}

/** An epoch before 1973 is no time at which a service computed an answer. */
const instant = wireNumber.transform(epochMilliseconds).refine((ms) => ms >= FIRST_MILLISECOND_EPOCH);

/** The fields that are read. */
const UsageBody = z.object({
  data: z.object({
    data: z.array(z.unknown()),
    metadata: z.object({
      truncated: z.boolean(),
      query_time_ms: optional(wireNumber),
      row_count: optional(wireNumber),
    }),
    cachedAt: optional(instant),
    // Warnings of any type are counted.
    warnings: optional(z.array(z.unknown())),
  }),
});

const label = z
  .union([z.string(), z.number().transform(String)], { error: "Invalid input: expected a text or a number" })
  .nullable();

/** The labels of a row. */
function labelColumns({ dimensions }: Pick<UsageColumns, "dimensions">) {
  return z.object(Object.fromEntries(dimensions.map((name) => [name, label])));
}

const value = wireNumber.nullish().transform((number) => number ?? undefined);
const milliseconds = value.transform((ms) => (ms === undefined ? undefined : ms / 1000));
/** Null is no BYOK; a missing column is not known. */
const byok = wireNumber.nullish();

/** The values of a row. Only requested columns are read, because a service may send others (observed-behaviour 5). */
function valueColumns({ creditMetric, rates }: Pick<UsageColumns, "creditMetric" | "rates">) {
  const columnOf = { ...AMOUNT_METRICS, credits: creditMetric.credits };
  const columns: Record<string, z.ZodType<number | null | undefined>> = {};
  for (const amount of AMOUNTS)
    if (amount !== "byokCredits") columns[columnOf[amount]] = value;
    else if (creditMetric.byok) columns[columnOf[amount]] = byok;
  for (const rate of rates ? RATES : [])
    columns[RATE_METRICS[rate]] = rate === "cacheHitRatio" ? value : milliseconds;
  return z.object(columns).transform((row) => {
    const read = { amounts: { ...NO_AMOUNTS }, rates: { ...NO_RATES } };
    for (const amount of AMOUNTS) read.amounts[amount] = row[columnOf[amount]] ?? undefined;
    for (const rate of RATES) read.rates[rate] = row[RATE_METRICS[rate]] ?? undefined;
    return { isByokKnown: row[AMOUNT_METRICS.byokCredits] !== undefined, read };
  });
}

function withoutByok(row: UsageRow): UsageRow {
  const { credits, byokCredits } = row.amounts;
  if (credits === undefined || !byokCredits) return row;
  return { ...row, amounts: { ...row.amounts, credits: decimalRest(credits, [byokCredits]) } };
}
