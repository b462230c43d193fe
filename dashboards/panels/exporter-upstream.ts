import { queryFamilies } from "../../exporter/collectors/analytics-families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { selfFamilies as families } from "../../exporter/metrics/self-families.ts";
import { steps } from "../board/color.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { range } from "../board/query.ts";
import { labelColumn, table, valueColumn, valueTexts } from "../board/table.ts";
import { bars, lines } from "../board/time-series.ts";
import { unit } from "../board/unit.ts";
import { ofInstance } from "../expressions/scope.ts";
import { bucketsOf, promql, type Series } from "../promql.ts";
import { thresholds } from "../thresholds.ts";
import { keyLink } from "./alerts.ts";

const perKey = (series: Series<"key">, fold: "min" | "max") => `${fold} by (key) (${ofInstance(series)})`;
const perQuery = (series: Series<"query">) => `max by (query) (${ofInstance(series)})`;

const NOT_SCRAPED = "Prometheus has not scraped the exporter in this range";
const SUCCESS = { 1: { text: "ok", color: "green" }, 0: { text: "failed", color: "red" } };

export function requests(id: number): PlacedPanel {
  return lines({
    id,
    title: "Requests to the gateway",
    width: 12,
    shows: "Requests a second that the exporter makes, retries too, by endpoint and HTTP status.",
    read: "200 is good; none means that there was no answer. This is all that watching costs the gateway.",
    act: "Many 429: ask less often. Many 5xx: the gateway has a problem. none: look at network and proxy.",
    empty: NOT_SCRAPED,
    queries: [
      range(
        promql`sum by (endpoint, code) (rate(${ofInstance(families.upstreamRequests)}[$__rate_interval]))`,
        "{{endpoint}} {{code}}",
      ),
    ],
    unit: unit.perSecond,
  });
}

export function failures(id: number): PlacedPanel {
  return bars({
    id,
    title: "Failed polls",
    width: 12,
    shows: "Polls that failed, by reason.",
    read: "Empty is good. unauthorized and forbidden do not pass by themselves, the others mostly do.",
    act: "unauthorized: the key was disabled or replaced. forbidden on analytics: the key is no management key.",
    empty: "No poll has failed in this range",
    queries: [
      range(
        promql`sum by (collector, reason) (increase(${ofInstance(families.pollFailures)}[$__rate_interval])) > 0`,
        "{{collector}} {{reason}}",
      ),
    ],
    unit: unit.amount,
    interval: "1m",
  });
}

export function lag(id: number): PlacedPanel {
  return lines({
    id,
    title: "Lag of polls",
    width: 12,
    shows: "How long the target that has waited longest is overdue, and the interval of the polls.",
    read: "0 is good. Above the dashed interval a poll was left out.",
    act: "The pace is too slow for so many keys (requests_per_minute), or the gateway answers slowly.",
    empty: NOT_SCRAPED,
    queries: [
      range(promql`max by (collector) (${ofInstance(families.pollLag)})`, "{{collector}}"),
      range(promql`min(${ofInstance(families.pollInterval)})`, "interval"),
    ],
    unit: unit.seconds,
    dashed: { interval: "blue" },
  });
}

export function pollDuration(id: number): PlacedPanel {
  return lines({
    id,
    title: "Duration of polls",
    width: 12,
    shows:
      "How long polls take, including retries: the median and the slowest hundredth. For the analytics, also the gateway's own time.",
    read: "The difference between a poll and the gateway's time is network and waiting.",
    act: "Near gateway.timeout polls begin to fail: raise it or ask less.",
    empty: NOT_SCRAPED,
    queries: [
      range(durationQuantile(0.5), "p50, {{collector}}"),
      range(durationQuantile(0.99), "p99, {{collector}}"),
      range(promql`max by (query) (${ofInstance(queryFamilies.duration)})`, "gateway, {{query}}"),
    ],
    unit: unit.seconds,
  });
}

function durationQuantile(quantile: number): string {
  const buckets = ofInstance(bucketsOf(families.pollDuration));
  return promql`histogram_quantile(${quantile}, sum by (collector, le) (rate(${buckets}[$__rate_interval])))`;
}

/** The keys that fail, oldest data first. */
export function keyTable(id: number): PlacedPanel {
  return table({
    id,
    title: "Polls of keys",
    width: 14,
    shows: "Whether the last poll of each key succeeded, and how old its figures are.",
    read: "Failed ones first, then the oldest. Refused is an answer of the gateway (401); every other failure is of the way there.",
    act: "Refused: replace the secret. Otherwise see Failed polls for the reason.",
    empty: "No key was polled yet",
    columns: [
      labelColumn("key", "Key", { link: keyLink }),
      valueColumn("Last poll", perKey(keyFamilies.up, "min"), unit.none, {
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts(SUCCESS)],
      }),
      valueColumn("Refused", perKey(keyFamilies.unauthorized, "max"), unit.none, {
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts({ 1: { text: "refused", color: "red" }, 0: { text: "no" } })],
      }),
      valueColumn("Age", `time() - ${perKey(keyFamilies.lastSuccess, "max")}`, unit.seconds, {
        cell: "text",
        steps: steps("green", [thresholds.keyStale, "orange"], [thresholds.analyticsStale, "red"]),
      }),
    ],
    sortBy: [
      { title: "Last poll", desc: false },
      { title: "Age", desc: true },
    ],
  });
}

/** How far the figures of models and apps can be trusted. */
export function queryTable(id: number): PlacedPanel {
  return table({
    id,
    title: "Queries of the analytics",
    width: 24,
    shows: "The four queries that the figures of models and apps come from.",
    read: "Folded pairs are part of _other by choice (analytics.top), cut ones because the gateway answers no more rows. Unreadable and colliding rows are the gateway's.",
    act: "Failed: the log has the reason; 403 means that the management key is none.",
    empty:
      "No figures of the analytics: they need a management key (analytics in the exporter's configuration)",
    columns: [
      labelColumn("query", "Query", { width: 130 }),
      valueColumn("Last poll", perQuery(queryFamilies.up), unit.none, {
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts(SUCCESS)],
      }),
      valueColumn("Age", `time() - ${perQuery(queryFamilies.lastSuccess)}`, unit.seconds, {
        cell: "text",
        steps: steps("green", [thresholds.analyticsStale, "orange"], [thresholds.closedMonthStale, "red"]),
      }),
      valueColumn("Rows", perQuery(queryFamilies.rows), unit.count),
      valueColumn("Folded", perQuery(queryFamilies.folded), unit.count),
      valueColumn("Cut", perQuery(queryFamilies.truncated), unit.none, {
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts({ 1: { text: "cut", color: "orange" }, 0: { text: "no" } })],
      }),
      valueColumn("Unreadable", perQuery(queryFamilies.unreadable), unit.count),
      valueColumn("Colliding", perQuery(queryFamilies.colliding), unit.count),
      valueColumn("Warnings", perQuery(queryFamilies.warnings), unit.count),
      valueColumn("Gateway's time", perQuery(queryFamilies.duration), unit.seconds),
    ],
    sortBy: [{ title: "Query", desc: false }],
  });
}
