import { queryFamilies as families } from "../../exporter/collectors/analytics-families.ts";
import { uids } from "../uids.ts";
import { MINUTE, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { GATEWAY } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";

const LINK = { uid: uids.exporter };

/** Alerts on the analytics: whether the spend of models and apps is still known. */
export function analyticsData(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) => createAlert(settings, LINK, definition);
  return {
    name: "aigateway-analytics",
    comment: "Analytics: whether the spend of models and apps is still known.",
    interval: settings.timing.duration(MINUTE),
    rules: [alert(stale(settings)), alert(truncated())],
  };
}

function stale({ timing }: Settings): AlertDefinition {
  const age = (query: string) =>
    promql`${timing.now} - max by (job, gateway, query) (last_over_time(${select(families.lastSuccess, { query })}[${timing.analyticsMemory}]))`;
  const most = age("!~last_month");
  const interval = select(selfFamilies.pollInterval, { collector: "analytics" });
  return {
    name: "AIGatewayAnalyticsStale",
    severity: "warning",
    comment:
      "The query last_month and configured queries of the last day or month run hourly; the others follow the poll interval. The answer of an hourly query ends at a midnight, and is shown for three hours. The last part covers queries that never got an answer, with the value 0.",
    expr: promql`
      (
        ${most} > ${timing.seconds(thresholds.analyticsStale)}
        unless (
          ${most}
          < on (job, gateway) group_left ()
            ${thresholds.staleIntervals} * max by (job, gateway) (last_over_time(${interval}[${timing.analyticsMemory}]))
        )
        unless on (job, gateway, query) last_over_time(${families.windowEnd}[${timing.analyticsMemory}]) % 86400 == 0
      )
      or ${age("last_month")} > ${timing.seconds(thresholds.completeWindowStale)}
      or (
        max by (job, gateway, query) (${families.up}) == 0
        unless on (job, gateway, query) last_over_time(${families.lastSuccess}[${timing.analyticsMemory}])
      )`,
    for: 10 * MINUTE,
    summary: "An analytics query gets no good answer.",
    description: `Spend and budgets that come from the analytics query {{ $labels.query }}${GATEWAY} are out of date or missing: the exporter has had no good answer {{ if gt $value 0.0 }}for {{ $value | humanizeDuration }}{{ else }}yet{{ end }}. Look for the reason on the exporter's status page or in its log; 403 means that the configured key is not a management key.`,
  };
}

function truncated(): AlertDefinition {
  return {
    name: "AIGatewayAnalyticsTruncated",
    severity: "info",
    expr: promql`max by (job, gateway, query) (${families.truncated}) == 1`,
    for: 30 * MINUTE,
    summary: "The gateway truncates its answer to an analytics query.",
    description: `Some rows of the analytics query {{ $labels.query }}${GATEWAY} are counted only in _other, because its result exceeds the gateway's row limit. Totals are correct, but a budget over a model or an app may be incomplete. Use fewer app titles, or define such a budget over keys.`,
  };
}
