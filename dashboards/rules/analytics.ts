import { queryFamilies as families } from "../../exporter/collectors/analytics-families.ts";
import { uids } from "../uids.ts";
import { MINUTE } from "../thresholds.ts";
import { promql } from "../promql.ts";
import { GATEWAY, LOOK } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Alerts on the analytics: whether the spend of models and apps is still known. */
export function analyticsData(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) =>
    createAlert(settings, { uid: uids.exporter, labels: ["job"] }, definition);
  return {
    name: "aigateway-analytics",
    comment: "Analytics: whether the spend of models and apps is still known.",
    interval: settings.timing.duration(MINUTE),
    rules: [alert(stale(settings.timing)), alert(truncated())],
  };
}

/** Longer than the interval of the hourly queries, so that one failure of theirs does not count. */
const STALE = 70 * MINUTE;

function stale({ memory }: Timing): AlertDefinition {
  return {
    name: "AIGatewayAnalyticsStale",
    severity: "warning",
    fires: "An analytics query gets no good answer.",
    expr: promql`max by (job, gateway, query) (last_over_time(${families.up}[${memory}])) == 0`,
    for: STALE,
    summary: `The analytics query {{ $labels.query }}${GATEWAY} gets no good answer`,
    description: `Spend and budgets that come from the analytics query {{ $labels.query }}${GATEWAY} are out of date or missing. ${LOOK}`,
  };
}

function truncated(): AlertDefinition {
  return {
    name: "AIGatewayAnalyticsTruncated",
    severity: "info",
    fires: "The gateway truncates its answer to an analytics query.",
    expr: promql`max by (job, gateway, query) (${families.truncated}) == 1`,
    for: 30 * MINUTE,
    summary: `The answer to the analytics query {{ $labels.query }}${GATEWAY} is truncated`,
    description: `Some rows of the analytics query {{ $labels.query }}${GATEWAY} are counted only in _other. Totals are correct, but a budget over a model or an app may be incomplete. Use fewer app titles, or define such a budget over keys.`,
  };
}
