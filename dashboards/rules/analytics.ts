import { queryFamilies as families } from "../../exporter/collectors/analytics-families.ts";
import { uids } from "../uids.ts";
import { thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";

const LINK = { uid: uids.exporter };

/** Alerts on the analytics: whether what models and apps spend is still known. */
export function analyticsData(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) => createAlert(settings, LINK, definition);
  return {
    name: "aigateway-analytics",
    comment: "Whether what models and apps spend is still known.",
    interval: settings.timing.duration(60),
    rules: [alert(stale(settings)), alert(truncated())],
  };
}

function stale({ timing }: Settings): AlertDefinition {
  const age = (query: string) =>
    promql`${timing.now} - max by (job, query) (last_over_time(${select(families.lastSuccess, { query })}[${timing.analyticsMemory}]))`;
  const running = age("!~last_month");
  const interval = select(selfFamilies.pollInterval, { collector: "analytics" });
  return {
    name: "AIGatewayAnalyticsStale",
    severity: "warning",
    comment:
      "The query last_month is asked hourly, the others follow the interval of the polls. The last part is for queries that never had an answer: the value is 0.",
    expr: promql`
      (
        ${running} > ${timing.seconds(thresholds.analyticsStale)}
        unless (
          ${running}
          < on (job) group_left ()
            ${thresholds.staleIntervals} * max by (job) (last_over_time(${interval}[${timing.analyticsMemory}]))
        )
      )
      or ${age("last_month")} > ${timing.seconds(thresholds.closedMonthStale)}
      or (
        max by (job, query) (${families.up}) == 0
        unless on (job, query) last_over_time(${families.lastSuccess}[${timing.analyticsMemory}])
      )`,
    for: 10 * 60,
    summary: "Nothing new is known of what models and apps spend.",
    description:
      "The last good answer to the analytics query {{ $labels.query }} {{ if gt $value 0.0 }}is {{ $value | humanizeDuration }} old{{ else }}never came{{ end }}. The log gives the reason; 403 means that the management key is none.",
  };
}

function truncated(): AlertDefinition {
  return {
    name: "AIGatewayAnalyticsTruncated",
    severity: "info",
    expr: promql`max by (job, query) (${families.truncated}) == 1`,
    for: 30 * 60,
    summary: "The gateway cuts its answers about models and apps.",
    description:
      "The analytics query {{ $labels.query }} has more rows than the gateway answers: totals are right, but some pairs of model and app are only part of _other, and budgets over a model or app are incomplete.",
  };
}
