import { queryFamilies } from "../../exporter/collectors/analytics-families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { selfFamilies as families } from "../../exporter/metrics/self-families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { range } from "../builder/query.ts";
import { labelColumn, table, valueColumn, valueTexts } from "../builder/table.ts";
import { bars, lines } from "../builder/time-series.ts";
import { unit } from "../builder/unit.ts";
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
    shows: "Requests per second that the exporter sends, including retries, by endpoint and HTTP status.",
    read: "200 is good; none means that no answer arrived. This is the whole load that the exporter puts on the gateway.",
    act: "Many 429: poll less often. Many 5xx: the gateway has a problem. none: check the network and the proxy.",
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
    shows: "Failed polls, by reason.",
    read: "Empty is good. unauthorized and forbidden persist until someone acts; the other reasons usually pass.",
    act: "unauthorized: the key was disabled or replaced. forbidden for analytics: the configured key is not a management key.",
    empty: "No poll failed in this range",
    queries: [
      range(
        promql`sum by (collector, reason) (increase(${ofInstance(families.pollFailures)}[$__rate_interval])) > 0`,
        "{{collector}} {{reason}}",
      ),
    ],
    unit: unit.count,
    interval: "1m",
  });
}

export function lag(id: number): PlacedPanel {
  return lines({
    id,
    title: "Poll lag",
    width: 12,
    shows: "How long the most overdue target has been due, and the poll interval.",
    read: "0 is good. Above the dashed interval, a poll was missed.",
    act: "Raise gateway.requests_per_minute if it is too low for the number of keys; otherwise the gateway answers slowly.",
    empty: NOT_SCRAPED,
    queries: [
      range(promql`max by (collector) (${ofInstance(families.pollLag)}) / 60`, "{{collector}}"),
      range(promql`min(${ofInstance(families.pollInterval)}) / 60`, "interval"),
    ],
    unit: unit.minutes,
    dashed: { interval: "blue" },
  });
}

export function pollDuration(id: number): PlacedPanel {
  return lines({
    id,
    title: "Poll duration",
    width: 12,
    shows:
      "How long polls take, including retries: the median and the 99th percentile. For the analytics also the time that the gateway reports.",
    read: "The difference between a poll and the gateway's time is network and waiting time.",
    act: "Near gateway.timeout, polls begin to fail: raise the timeout or poll less often.",
    empty: NOT_SCRAPED,
    queries: [
      range(durationQuantile(0.5), "p50, {{collector}}"),
      range(durationQuantile(0.99), "p99, {{collector}}"),
      range(promql`max by (query) (${ofInstance(queryFamilies.duration)})`, "gateway, {{query}}"),
    ],
    unit: unit.seconds,
  });
}

/** Without a poll in the interval there is no quantile, which is not 0. */
function durationQuantile(quantile: number): string {
  const buckets = ofInstance(bucketsOf(families.pollDuration));
  const rates = promql`sum by (collector, le) (rate(${buckets}[$__rate_interval]))`;
  return promql`histogram_quantile(${quantile}, ${rates}) >= 0`;
}

/** The state of each key's polls, failed ones first. */
export function keyTable(id: number): PlacedPanel {
  return table({
    id,
    title: "Key polls",
    width: 12,
    shows: "Whether the last poll of each key succeeded, and the age of its figures.",
    read: "Failed polls first, then the oldest data. Refused: the gateway rejected the key itself (401). Any other failure lies with the gateway or the network.",
    act: "If a key is refused, replace its secret. Otherwise see Failed polls for the reason.",
    empty: "No key has been polled yet",
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

/** The state of the analytics queries. */
export function queryTable(id: number): PlacedPanel {
  return table({
    id,
    title: "Analytics queries",
    width: 24,
    shows: "The four queries behind the figures for models and apps.",
    read: "Folded: pairs beyond analytics.top, counted in _other. Truncated: pairs beyond the gateway's row limit, also in _other. Excess: the rows add up to more than the total. Unreadable and colliding rows are errors in the gateway's answer.",
    act: "If a query failed, the log gives the reason. 403: the configured key is not a management key.",
    empty:
      "No analytics query is configured (analytics in the exporter's configuration), or Prometheus does not scrape the exporter",
    columns: [
      labelColumn("query", "Query", { width: 130 }),
      valueColumn("Last poll", perQuery(queryFamilies.up), unit.none, {
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts(SUCCESS)],
      }),
      valueColumn("Age", `time() - ${perQuery(queryFamilies.lastSuccess)}`, unit.seconds, {
        cell: "text",
        steps: steps("green", [thresholds.analyticsStale, "orange"], [thresholds.completeWindowStale, "red"]),
      }),
      valueColumn("Rows", perQuery(queryFamilies.rows), unit.count),
      valueColumn("Folded", perQuery(queryFamilies.folded), unit.count),
      valueColumn("Truncated", perQuery(queryFamilies.truncated), unit.none, {
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts({ 1: { text: "truncated", color: "orange" }, 0: { text: "no" } })],
      }),
      valueColumn("Excess", perQuery(queryFamilies.exceedsTotal), unit.none, {
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts({ 1: { text: "excess", color: "orange" }, 0: { text: "no" } })],
      }),
      valueColumn("Unreadable", perQuery(queryFamilies.unreadable), unit.count),
      valueColumn("Colliding", perQuery(queryFamilies.colliding), unit.count),
      valueColumn("Warnings", perQuery(queryFamilies.warnings), unit.count),
      valueColumn("Gateway's time", perQuery(queryFamilies.duration), unit.seconds),
    ],
    sortBy: [{ title: "Query", desc: false }],
  });
}
