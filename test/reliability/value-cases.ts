import { createHash } from "node:crypto";

import { seriesName, type SeriesMap } from "../support/series.ts";
import { asRight, failing, type FaultCase, type Outcome, relabelled, shownWith } from "./fault-case.ts";
import { type AnalyticsChange, changing, numbersAsTexts, sendingAs } from "./fault-steps.ts";
import { type JsonObject, keySeriesName, keyInfoName, LABEL, querySeriesName } from "./right-answers.ts";

const ONE = { model: "acme/one", app: "Chat" };
const TWO = { model: "acme/two", app: "Search" };
const OTHER = { model: "_other", app: "_other" };
const CREDITS_OF_ONE = seriesName("aigateway_usage_day_credits", ONE);

const CONTROL = 'Tab\tBell\u0007Nul\u0000Line\nQuote"Back\\slash\r\u2028\u202e';
const LONG = "x".repeat(10_000);

/** The next reset of the limit is unknown. */
const WITHOUT_WINDOW = {
  [keySeriesName("limit_next_reset_timestamp_seconds")]: undefined,
  [keySeriesName("limit_window_start_timestamp_seconds")]: undefined,
};

/** The first row is unreadable, but its spend is not lost. */
const firstRowInOther: Outcome = {
  isPartial: true,
  shown: (right) => new Map([...relabelled(right, ONE, OTHER), [querySeriesName("unreadable_rows"), 1]]),
};

/** Answers that are readable, or nearly, with strange values. */
export const valueCases: readonly FaultCase[] = [
  {
    title: "numbers as texts",
    fault: sendingAs(numbersAsTexts),
    key: asRight,
    analytics: asRight,
    note: "as numbers",
  },
  {
    title: "an amount of 1e309, which exceeds every number",
    fault: sendingAs((text) => firstAmount(text, "1e309")),
    ...failing("bad_response"),
  },
  {
    title: "`NaN` in the JSON",
    fault: sendingAs((text) => firstAmount(text, "NaN")),
    ...failing("bad_response"),
  },
  {
    title: 'an amount of `"NaN"`',
    fault: changing({
      key: (data) => ({ ...data, usage: "NaN" }),
      analytics: firstGroupedRow((row) => ({ ...row, total_usage: "NaN" })),
    }),
    key: { reason: "bad_response" },
    analytics: firstRowInOther,
    note: "for a key the values of a failed poll; for the analytics the row is part of `_other`, and counted",
  },
  {
    title: "an amount of null",
    fault: changing({
      key: (data) => ({ ...data, usage: null }),
      analytics: (data) => ({ ...data, data: data.data.map((row) => ({ ...row, tokens_total: null })) }),
    }),
    key: shownWith({ [keySeriesName("usage_credits")]: undefined }),
    analytics: shownWith({
      [seriesName("aigateway_usage_day_tokens", ONE)]: undefined,
      [seriesName("aigateway_usage_day_tokens", TWO)]: undefined,
    }),
    note: "all except this one, which has no sample",
  },
  {
    title: "a negative amount",
    fault: changing({
      key: (data) => ({ ...data, usage: -5, limit_remaining: -2.5 }),
      // For the row and the total.
      analytics: firstRow((row) => ({ ...row, total_usage: Number(row["total_usage"]) - 1000 })),
    }),
    key: shownWith({
      [keySeriesName("usage_credits")]: -5,
      [keySeriesName("limit_remaining_credits")]: -2.5,
    }),
    analytics: {
      shown: (right) => new Map(right).set(CREDITS_OF_ONE, (right.get(CREDITS_OF_ONE) ?? 0) - 1000),
    },
    note: "as sent: discounts and overdrawn limits are negative",
  },
  {
    title: "`limit` null, `limit_remaining` a number",
    fault: changing({ key: (data) => ({ ...data, limit: null }) }),
    key: shownWith({
      [keySeriesName("unlimited")]: 1,
      [keySeriesName("limit_credits")]: undefined,
      [keySeriesName("limit_remaining_credits")]: undefined,
      ...WITHOUT_WINDOW,
    }),
    analytics: asRight,
    note: "unlimited, without a remaining amount",
  },
  {
    title: "`limit_reset` with an unknown text",
    fault: changing({ key: (data) => ({ ...data, limit_reset: "fortnightly" }) }),
    key: shownWith({ ...WITHOUT_WINDOW, ...resetState("monthly", 0), ...resetState("other", 1) }),
    analytics: asRight,
    note: "the state `other`, without the time of the next reset",
  },
  {
    title: "a field twice",
    fault: sendingAs((text) => text.replace(FIRST_AMOUNT, '"$1":999,$&')),
    key: asRight,
    analytics: asRight,
    note: "the last one, as JSON parsers do",
  },
  {
    title: "labels with control characters, quotes and line breaks",
    fault: changing({
      key: (data) => ({ ...data, label: CONTROL }),
      analytics: firstGroupedRow((row) => ({ ...row, model: CONTROL, app: CONTROL })),
    }),
    key: { shown: (right) => withLabel(right, CONTROL) },
    analytics: { shown: (right) => relabelled(right, ONE, { model: CONTROL, app: CONTROL }) },
    note: "escaped",
  },
  {
    title: "labels of 10 kB that differ at their ends",
    fault: changing({
      key: (data) => ({ ...data, label: LONG }),
      analytics: (data, { grouped }) => ({
        ...data,
        data: grouped
          ? data.data.map((row, index) => ({ ...row, model: `${LONG}${index}`, app: "Chat" }))
          : data.data,
      }),
    }),
    key: { shown: (right) => withLabel(right, bounded(LONG)) },
    analytics: {
      shown: (right) => {
        const first = relabelled(right, ONE, { model: bounded(`${LONG}0`), app: "Chat" });
        return relabelled(first, TWO, { model: bounded(`${LONG}1`), app: "Chat" });
      },
    },
    note: "cut to 256 characters with a digest at the end, so that they stay apart",
  },
];

const FIRST_AMOUNT = /"(usage|total_usage)":[\d.]+/;

/** The usage of a key, or the credits of the first row and of the total. */
function firstAmount(text: string, literal: string): string {
  return text.replace(FIRST_AMOUNT, `"$1":${literal}`);
}

function firstRow(change: (row: JsonObject) => JsonObject): AnalyticsChange {
  return (data) => ({ ...data, data: data.data.map((row, index) => (index === 0 ? change(row) : row)) });
}

function firstGroupedRow(change: (row: JsonObject) => JsonObject): AnalyticsChange {
  return (data, exchange) => (exchange.grouped ? firstRow(change)(data, exchange) : data);
}

function resetState(state: string, value: number): Readonly<Record<string, number>> {
  const labels = { key: "faulty", aigateway_key_limit_reset: state };
  return { [seriesName("aigateway_key_limit_reset", labels)]: value };
}

function withLabel(right: SeriesMap, label: string): SeriesMap {
  const changed = new Map(right);
  changed.delete(keyInfoName("faulty", LABEL));
  return changed.set(keyInfoName("faulty", label), 1);
}

function bounded(text: string): string {
  return `${text.slice(0, 239)}…${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
