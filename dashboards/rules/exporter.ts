import { selfFamilies as families } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { DAY, MINUTE, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { causeNamed } from "../../exporter/gateway/causes.ts";
import { EXPORTER, GATEWAY, LOOK, THE_GATEWAY } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { ruleEvaluationSlow } from "./rule-evaluation.ts";
import { createAlert, JOB, type AlertDefinition, type Settings } from "./settings.ts";

const LINK = { uid: uids.exporter, labels: ["job"] };

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
      alert(reloadFailed(settings)),
      alert(shardingMismatch()),
      alert(shardMissing()),
      createAlert(settings, { uid: uids.exporter, labels: [] }, ruleEvaluationSlow(settings)),
    ],
  };
}

/**
 * Of any job: an exporter that Prometheus has seen within a week, and that has no series now, whether its target is
 * down or gone. Its own series decide, because those that another Prometheus sends come without `up`. The other parts
 * cover exporters that Prometheus has never seen.
 */
function down({ timing }: Settings): AlertDefinition {
  const named = `up{job="${JOB}"}`;
  const seen = promql`last_over_time(${families.buildInfo}[${timing.duration(7 * DAY)}])`;
  return {
    name: "AIGatewayExporterDown",
    severity: "critical",
    fires: "The exporter cannot be scraped.",
    expr: promql`
      0 * max by (job, gateway) (${seen} unless on (instance) ${families.buildInfo})
      unless on (job, gateway) ${families.buildInfo}
      or max by (job, gateway) (${named}) == 0
      or (absent(${named}) unless on () ${seen})`,
    for: 10 * MINUTE,
    summary: `${EXPORTER} cannot be scraped`,
    description: `No alert on credits or budgets can fire, because Prometheus reaches no process of ${EXPORTER}. Check whether it runs and what its log shows, then the scrape job.`,
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
    fires: "Most requests to the gateway fail.",
    expr: promql`
      sum by (job, gateway, endpoint) (rate(${failed}[${range}]) unless rate(${unsupported}[${range}]))
      / sum by (job, gateway, endpoint) (rate(${families.upstreamRequests}[${range}]) unless rate(${unsupported}[${range}]))
      > ${thresholds.upstreamErrors}`,
    for: 15 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: `{{ $value | humanizePercentage }} of the requests to the endpoint {{ $labels.endpoint }}${GATEWAY} fail`,
    description: `Data${GATEWAY} are becoming stale, because requests to the endpoint {{ $labels.endpoint }} fail. ${LOOK}`,
  };
}

function throttled({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayUpstreamThrottled",
    severity: "warning",
    fires: "The gateway throttles the exporter.",
    expr: promql`max by (job, gateway, endpoint) (${families.throttledUntil}) - ${timing.now} > 0`,
    for: 30 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: `Requests to the endpoint {{ $labels.endpoint }}${GATEWAY} wait another {{ $value | humanizeDuration }}`,
    description: `Data are becoming stale: ${THE_GATEWAY} has answered 429 for half an hour. ${causeNamed("rate_limit").advice}.`,
  };
}

/** The limit is nearly reached, or the exporter rejected an answer because of it. The value is the share in use in either case. */
function seriesLimit({ timing }: Settings): AlertDefinition {
  const ratio = promql`max by (job, gateway) (${families.series} / ${families.seriesLimit})`;
  return {
    name: "AIGatewaySeriesLimit",
    severity: "warning",
    fires: "The exporter has nearly reached its series limit.",
    expr: promql`
      ${ratio} > ${thresholds.seriesLimit}
      or ${ratio} and sum by (job, gateway) (increase(${families.refusedAnswers}[${timing.duration(15 * MINUTE)}])) > 0`,
    for: 5 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: `${EXPORTER} uses {{ $value | humanizePercentage }} of its series limit`,
    description: `Keys or models disappear when ${EXPORTER} reaches the limit, because it rejects their answers. Raise series_limit, or lower analytics.top.`,
  };
}

function pollIntervalLong({ timing }: Settings): AlertDefinition {
  const interval = select(families.pollInterval, { collector: "~key|discovery" });
  return {
    name: "AIGatewayPollIntervalLong",
    severity: "warning",
    fires: "Keys are polled too rarely for timely warnings.",
    expr: promql`max by (job, gateway) (last_over_time(${interval}[${timing.memory}])) > ${thresholds.pollIntervalLong}`,
    for: 15 * MINUTE,
    summary: `${EXPORTER} polls or lists a key only every {{ $value | humanizeDuration }}`,
    description: `Warnings of ${EXPORTER} come late. Poll more often (schedule), or raise gateway.requests_per_minute.`,
  };
}

function reloadFailed({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayExporterReloadFailed",
    severity: "warning",
    fires:
      "The exporter could not load its changed configuration or certificate, or its certificate expires within a week.",
    expr: promql`
      min by (job, gateway) (${families.reloadSuccessful}) == 0
      or min by (job, gateway) (${families.webUpToDate}) == 0
      or min by (job, gateway) (${families.webCertificateEnd}) - ${timing.now} < ${thresholds.expiresSoon}`,
    for: 5 * MINUTE,
    summary: `${EXPORTER} could not renew its configuration or certificate`,
    description: `New keys and budgets are not monitored, or scrapes will fail: ${EXPORTER} cannot use its changed file, or its certificate expires within a week. Fix what its log names; after a change of the configuration, send SIGHUP.`,
  };
}

/** With different totals, shards disagree about which of them polls a key. */
function shardingMismatch(): AlertDefinition {
  return {
    name: "AIGatewayShardingMismatch",
    severity: "warning",
    fires: "The exporter's shards disagree about their number.",
    expr: promql`
      max by (job, gateway) (${families.shards})
      != min by (job, gateway) (${families.shards})`,
    for: 15 * MINUTE,
    summary: `The shards of ${EXPORTER} disagree about their number`,
    description: `Some keys of ${EXPORTER} may be polled twice or not at all. Finish the change of shards.`,
  };
}

/** The value is the number of shards that no process runs. If none is scraped, AIGatewayExporterDown fires. */
function shardMissing(): AlertDefinition {
  return {
    name: "AIGatewayShardMissing",
    severity: "critical",
    fires: "A shard of the exporter is missing.",
    expr: promql`
      max by (job, gateway) (${families.shards})
      - count by (job, gateway) (max by (job, gateway, shard) (${families.shards})) > 0`,
    for: 15 * MINUTE,
    summary: `{{ $value }} shard(s) of ${EXPORTER} are missing`,
    description: `Some keys of ${EXPORTER} are not polled, so no alert on their credits can fire. Look for a pod that is not running, then at its log.`,
  };
}
