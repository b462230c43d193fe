import { z } from "zod";
import type { SecretSource } from "../config/secret.ts";
import { type AnalyticsRequest, analyticsBody } from "./analytics-request.ts";
import { GatewayError } from "./errors.ts";
import type { Http } from "./http.ts";
import { utcMilliseconds } from "../time/utc-time.ts";
import { optional, shapeProblem, wireNumber } from "./wire.ts";

/** An answer of `POST /analytics/query` (contract 2.4), reduced to what was asked for. */
export interface AnalyticsAnswer {
  readonly rows: readonly AnalyticsRow[];
  /** Rows that could not be read: no object, a value of a wrong type, a dimension's column missing. */
  readonly unreadableRows: number;
  /** Why the first of them could not be; a column, and not its value. */
  readonly rowProblem?: string | undefined;
  /** Whether there are more rows than these, so that sums over them are partial. */
  readonly truncated: boolean;
  readonly warnings: readonly string[];
  /** When the service computed it, if it said so. */
  readonly cachedAtMs: number | undefined;
  /** What the query cost the service. */
  readonly queryTimeMs: number | undefined;
}

export interface AnalyticsRow {
  /** By dimension: the human-readable text, null where there is none. */
  readonly labels: Readonly<Record<string, string | null>>;
  /** By metric; null and absent: no value, which is not 0. */
  readonly values: Readonly<Record<string, number | null>>;
  /** Start of the time bucket, if a granularity was asked for. */
  readonly timeMs: number | undefined;
}

/**
 * `POST /analytics/query` (contract 4); needs a management key.
 * @throws RangeError when the request is outside the contract's bounds; GatewayError as Http.send, and `bad_response`
 * when the answer's shape is wrong or none of its rows can be read.
 */
export async function queryAnalytics(
  http: Http,
  target: string,
  request: AnalyticsRequest,
  secret: SecretSource,
  signal: AbortSignal,
): Promise<AnalyticsAnswer> {
  const action = `query the analytics of "${target}"`;
  const body = await http.send(
    {
      endpoint: "analytics",
      target: `analytics/${target}`,
      action,
      method: "POST",
      path: "/analytics/query",
      body: analyticsBody(request),
      secret,
    },
    signal,
  );
  return parseAnalytics(body, request, action);
}

/** @throws GatewayError `bad_response` when the shape is wrong, or there are rows and none can be read. */
export function parseAnalytics(body: unknown, request: AnalyticsRequest, action: string): AnalyticsAnswer {
  const parsed = AnalyticsBody.safeParse(body);
  if (!parsed.success) {
    throw new GatewayError("bad_response", `Cannot ${action}: ${shapeProblem(parsed.error)}`);
  }
  const { data: wireRows, metadata, cachedAt, warnings } = parsed.data.data;
  const rowSchema = rowSchemaOf(request);
  const rows: AnalyticsRow[] = [];
  let problem: string | undefined;
  for (const wireRow of wireRows) {
    const row = rowSchema.safeParse(wireRow);
    if (row.success) rows.push(row.data);
    else problem ??= shapeProblem(row.error);
  }
  if (rows.length === 0 && problem !== undefined) {
    const message = `Cannot ${action}: none of the ${wireRows.length} rows can be read (the first: ${problem})`;
    throw new GatewayError("bad_response", message);
  }
  return {
    rows,
    unreadableRows: wireRows.length - rows.length,
    rowProblem: problem,
    truncated: metadata.truncated,
    warnings: warnings ?? [],
    cachedAtMs: cachedAt,
    queryTimeMs: metadata.query_time_ms,
  };
}

const AnalyticsBody = z.object({
  data: z.object({
    data: z.array(z.unknown()),
    metadata: z.object({ truncated: z.boolean(), query_time_ms: optional(wireNumber) }),
    cachedAt: optional(wireNumber),
    // Whatever a warning is, it is counted.
    warnings: optional(z.array(z.string().catch("a warning that is no text"))),
  }),
});

/** Reads the columns that were asked for and no other: a further column is no label and no metric (observed-behaviour 5). */
function rowSchemaOf(request: AnalyticsRequest): z.ZodType<AnalyticsRow> {
  const dimensions = [...(request.dimensions ?? []), ...classifierColumns(request)];
  const label = z
    .union([z.string(), z.number().transform(String)], {
      error: "Invalid input: expected a text or a number",
    })
    .nullable();
  const labels = z.object(Object.fromEntries(dimensions.map((name) => [name, label])));
  const values = z.object(
    Object.fromEntries(request.metrics.map((name) => [name, wireNumber.nullable().default(null)])),
  );
  const row = z.record(z.string(), z.unknown());
  return row.transform((columns, context) => {
    const read = { labels: labels.safeParse(columns), values: values.safeParse(columns) };
    const timeMs = request.granularity && bucketStart(columns, request.granularity);
    if (!read.labels.success || !read.values.success || Number.isNaN(timeMs)) {
      const issue = (read.labels.error ?? read.values.error)?.issues[0];
      const { path, message } = issue ?? { path: ["date"], message: "no time that can be read" };
      context.addIssue({ code: "custom", path: [...path], message });
      return z.NEVER;
    }
    return { labels: read.labels.data, values: read.values.data, timeMs };
  });
}

/** Tags of a classifier come in columns of their names, or as pairs of name and value (contract 2.2). */
function classifierColumns(request: AnalyticsRequest): readonly string[] {
  if (!request.classifierDimensions) return [];
  const names = request.classifierDimensions.dimensionNames ?? [];
  return names.length > 0 ? names : ["clf_dimension_name", "clf_dimension_value"];
}

/** The time column is `date__day` or has another prefix (observed-behaviour 2). NaN when there is none that can be read. */
function bucketStart(columns: Record<string, unknown>, granularity: string): number {
  const times = Object.entries(columns).map(([name, value]) =>
    name.endsWith(`__${granularity}`) && typeof value === "string" ? utcMilliseconds(value) : undefined,
  );
  return times.find((time) => time !== undefined) ?? Number.NaN;
}
