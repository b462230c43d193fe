import { selfFamilies as families } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { DAY, MINUTE, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { EXPORTER, GATEWAY, THE_GATEWAY } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { ruleEvaluationSlow } from "./rule-evaluation.ts";
import { createAlert, JOB, type AlertDefinition, type Settings } from "./settings.ts";

const LINK = { uid: uids.exporter };

/** Alerts on the exporter and its connection to the gateway: without them no other alert can fire. */
export function exporterItself(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) => createAlert(settings, LINK, definition);
  return {
    name: JOB,
    comment: "The exporter and its connection to the gateway: without them no other alert can fire.",
    interval: settings.timing.duration(MINUTE),
    rules: [
      alert(down(settings)),
      alert(upstreamErrors(settings)),
      alert(throttled(settings)),
      alert(seriesLimit(settings)),
      alert(pollIntervalLong(settings)),
      alert(reloadFailed()),
      alert(shardingMismatch()),
      alert(shardMissing()),
      alert(ruleEvaluationSlow(settings)),
    ],
  };
}

function down({ timing }: Settings): AlertDefinition {
  const named = `up{job="${JOB}"}`;
  const seen = promql`last_over_time(${families.buildInfo}[${timing.duration(7 * DAY)}])`;
  return {
    name: "AIGatewayExporterDown",
    severity: "critical",
    comment:
      "Of any job: an exporter that Prometheus has seen within a week, and that has no series now, whether its target is down or gone. Its own series decide, because those that another Prometheus sends come without `up`. The other parts cover exporters that Prometheus has never seen.",
    expr: promql`
      (
        max by (job, gateway) (${seen} unless on (instance) ${families.buildInfo}) * 0
        unless on (job, gateway) ${families.buildInfo}
      )
      or max by (job, gateway) (${named}) == 0
      or (absent(${named}) unless on () ${seen})`,
    for: 10 * MINUTE,
    summary: "The exporter cannot be scraped.",
    description: `No alert on credits or budgets can fire: for ten minutes Prometheus has not reached any process of ${EXPORTER}. Check whether it runs and what its log shows, then the scrape job.`,
  };
}

function upstreamErrors({ timing }: Settings): AlertDefinition {
  const range = timing.duration(15 * MINUTE);
  // Refusals of single keys have their own alerts.
  const failed = select(families.upstreamRequests, { code: "!~2..|40[1-3]" });
  // A gateway without a balance or a list of keys answers 404 to each request for them.
  const unsupported = select(families.upstreamRequests, { endpoint: "account", code: "404" });
  return {
    name: "AIGatewayUpstreamErrors",
    severity: "warning",
    expr: promql`
      sum by (job, gateway, endpoint) (rate(${failed}[${range}]) unless rate(${unsupported}[${range}]))
      / sum by (job, gateway, endpoint) (rate(${families.upstreamRequests}[${range}]) unless rate(${unsupported}[${range}]))
      > ${thresholds.upstreamErrors}`,
    for: 15 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: "Most requests to the gateway fail.",
    description: `Data are becoming stale: {{ $value | humanizePercentage }} of the requests to the endpoint {{ $labels.endpoint }}${GATEWAY} failed in the last 15 minutes. The dashboard shows the status codes: check whether the gateway has an incident, then the proxy and the network.`,
  };
}

function throttled({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayUpstreamThrottled",
    severity: "warning",
    expr: promql`max by (job, gateway, endpoint) (${families.throttledUntil}) - ${timing.now} > 0`,
    for: 30 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: "The gateway throttles the exporter.",
    description: `Data are becoming stale: ${THE_GATEWAY} has answered 429 for half an hour, and requests to the endpoint {{ $labels.endpoint }} wait another {{ $value | humanizeDuration }}. Lower gateway.requests_per_minute, or poll less often.`,
  };
}

function seriesLimit({ timing }: Settings): AlertDefinition {
  const ratio = promql`max by (job, gateway) (${families.series}) / max by (job, gateway) (${families.seriesLimit})`;
  return {
    name: "AIGatewaySeriesLimit",
    severity: "warning",
    comment:
      "The limit is nearly reached, or the exporter rejected an answer because of it. The value is the share in use in either case.",
    expr: promql`
      ${ratio} > ${thresholds.seriesLimit}
      or (
        ${ratio}
        and on (job, gateway) sum by (job, gateway) (increase(${families.refusedAnswers}[${timing.duration(15 * MINUTE)}])) > 0
      )`,
    for: 5 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: "The exporter has nearly reached its series limit.",
    description: `Keys or models disappear when the limit is reached: ${EXPORTER} uses {{ $value | humanizePercentage }} of its series_limit, and rejects each answer that would exceed it. Raise series_limit, or lower analytics.top.`,
  };
}

function interval(collector: string): string {
  return promql`max by (job, gateway) (${select(families.pollInterval, { collector })})`;
}

function pollIntervalLong({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayPollIntervalLong",
    severity: "warning",
    comment:
      "The windows of these rules must contain several polls. For longer intervals, generate the rules again.",
    expr: promql`
      ${interval("key")} > ${timing.seconds(timing.longestPollSeconds)}
      or ${interval("discovery")} > ${timing.seconds(timing.longestDiscoverySeconds)}`,
    for: 15 * MINUTE,
    summary: "Keys are polled too rarely for these alert rules.",
    description: `Warnings come late: ${EXPORTER} polls or lists each key every {{ $value | humanizeDuration }}, too rarely for the windows of the rules. Poll more often (schedule), raise gateway.requests_per_minute, or generate the rules for this interval.`,
  };
}

function reloadFailed(): AlertDefinition {
  return {
    name: "AIGatewayExporterReloadFailed",
    severity: "warning",
    expr: promql`
      min by (job, gateway) (${families.reloadSuccessful}) == 0
      or
      min by (job, gateway) (${families.webUpToDate}) == 0
    `,
    for: 5 * MINUTE,
    summary: "The exporter could not load its changed configuration or certificate.",
    description: `New keys and budgets are not monitored, or the certificate will expire, and a restart would fail: ${EXPORTER} cannot use its changed file and keeps the previous one. Its log lists every problem. Fix the file; after a change of the configuration, send SIGHUP.`,
  };
}

function shardingMismatch(): AlertDefinition {
  return {
    name: "AIGatewayShardingMismatch",
    severity: "warning",
    comment: "With different totals, shards disagree about which of them polls a key.",
    expr: promql`
      max by (job, gateway) (${families.shards})
      != min by (job, gateway) (${families.shards})`,
    for: 15 * MINUTE,
    summary: "The exporter's shards disagree about their number.",
    description: `Some keys may be polled twice or not at all: processes of ${EXPORTER} divide the keys among different numbers of shards, up to {{ $value }}. Finish the change of shards, or find the process with the old configuration.`,
  };
}

function shardMissing(): AlertDefinition {
  return {
    name: "AIGatewayShardMissing",
    severity: "critical",
    comment:
      "The value is the number of shards that no process runs. If none is scraped, AIGatewayExporterDown fires.",
    expr: promql`
      max by (job, gateway) (${families.shards})
      - count by (job, gateway) (max by (job, gateway, shard) (${families.shards})) > 0`,
    for: 15 * MINUTE,
    summary: "A shard of the exporter is missing.",
    description: `Nobody polls a part of the keys, so no alert on their credits can fire: Prometheus cannot scrape any process of {{ $value }} shard(s) of ${EXPORTER}. Look for a pod that is not running, then at its log.`,
  };
}
