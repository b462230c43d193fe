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
  const age = promql`${timing.now} - max by (job, gateway, query) (last_over_time(${families.lastSuccess}[${timing.analyticsMemory}]))`;
  const interval = select(selfFamilies.pollInterval, { collector: "analytics" });
  return {
    name: "AIGatewayAnalyticsStale",
    severity: "warning",
    comment:
      "The query last_month and configured queries of the last day or month run hourly; the others follow the poll interval. The last part covers queries that never got an answer, with the value 0.",
    expr: promql`
      (
        ${age} > ${timing.seconds(thresholds.analyticsStale)}
        unless (
          ${age}
          < on (job, gateway) group_left ()
            ${thresholds.staleIntervals} * max by (job, gateway) (last_over_time(${interval}[${timing.analyticsMemory}]))
        )
        unless (
          ${age} < ${timing.seconds(thresholds.completeWindowStale)}
          and max by (job, gateway, query) (last_over_time(${families.minInterval}[${timing.analyticsMemory}])) > 0
        )
      )
      or (
        max by (job, gateway, query) (${families.up}) == 0
        unless on (job, gateway, query) last_over_time(${families.lastSuccess}[${timing.analyticsMemory}])
      )`,
    for: 10 * MINUTE,
    summary: "The spend of models and apps is no longer updated.",
    description: `Figures and budgets of models and apps are out of date: the analytics query {{ $labels.query }}${GATEWAY} has had no good answer {{ if gt $value 0.0 }}for {{ $value | humanizeDuration }}{{ else }}yet{{ end }}. Look for the reason on the exporter's status page or in its log; 403 means that the configured key is not a management key.`,
  };
}

function truncated(): AlertDefinition {
  return {
    name: "AIGatewayAnalyticsTruncated",
    severity: "info",
    expr: promql`max by (job, gateway, query) (${families.truncated}) == 1`,
    for: 30 * MINUTE,
    summary: "The gateway truncates its answers about models and apps.",
    description: `Budgets for a model or an app are incomplete, and some pairs of model and app are counted only in _other: the result of the analytics query {{ $labels.query }}${GATEWAY} exceeds the gateway's row limit. Totals are correct. Use fewer app titles, or define the budgets over keys.`,
  };
}
