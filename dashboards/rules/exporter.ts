import { selfFamilies as families } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { MINUTE, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import type { RuleGroup } from "./rule.ts";
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
      alert(down()),
      alert(upstreamErrors(settings)),
      alert(throttled(settings)),
      alert(seriesLimit(settings)),
      alert(pollIntervalLong(settings)),
      alert(reloadFailed()),
    ],
  };
}

function down(): AlertDefinition {
  return {
    name: "AIGatewayExporterDown",
    severity: "critical",
    expr: promql`max by (job) (up{job="${JOB}"}) == 0 or absent(up{job="${JOB}"})`,
    for: 10 * MINUTE,
    summary: "The exporter cannot be scraped.",
    description:
      "No alert on credits or budgets can fire: Prometheus has not been able to scrape any process of {{ $labels.job }} for ten minutes. Check the pod and its log, then the scrape job.",
  };
}

function upstreamErrors({ timing }: Settings): AlertDefinition {
  const range = timing.duration(15 * MINUTE);
  // Refusals of single keys have their own alerts.
  const failed = select(families.upstreamRequests, { code: "!~2..|40[1-3]" });
  return {
    name: "AIGatewayUpstreamErrors",
    severity: "warning",
    expr: promql`
      sum by (job, endpoint) (rate(${failed}[${range}]))
      / (sum by (job, endpoint) (rate(${families.upstreamRequests}[${range}])) > 0)
      > ${thresholds.upstreamErrors}`,
    for: 15 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: "Most requests to the gateway fail.",
    description:
      "{{ $value | humanizePercentage }} of the requests to the endpoint {{ $labels.endpoint }} failed in the last 15 minutes, so data are becoming stale. The dashboard shows the status codes: check whether the gateway has an incident, then the proxy and the network.",
  };
}

function throttled({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayUpstreamThrottled",
    severity: "warning",
    expr: promql`max by (job, endpoint) (${families.throttledUntil}) - ${timing.now} > 0`,
    for: 30 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: "The gateway throttles the exporter.",
    description:
      "Data are becoming stale: the gateway has answered 429 for half an hour, and requests to the endpoint {{ $labels.endpoint }} wait another {{ $value | humanizeDuration }}. Lower gateway.requests_per_minute, or poll less often.",
  };
}

function seriesLimit({ timing }: Settings): AlertDefinition {
  const ratio = promql`max by (job) (${families.series}) / (max by (job) (${families.seriesLimit}) > 0)`;
  return {
    name: "AIGatewaySeriesLimit",
    severity: "warning",
    comment:
      "The limit is nearly reached, or the exporter rejected an answer because of it. The value is the share in use in either case.",
    expr: promql`
      ${ratio} > ${thresholds.seriesLimit}
      or (
        ${ratio}
        and on (job) sum by (job) (increase(${families.refusedAnswers}[${timing.duration(15 * MINUTE)}])) > 0
      )`,
    for: 5 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: "The exporter has nearly reached its series limit.",
    description:
      "{{ $labels.job }} uses {{ $value | humanizePercentage }} of its series_limit. It rejects answers beyond the limit, and their keys or models disappear. Raise series_limit, or lower analytics.top.",
  };
}

function pollIntervalLong({ timing }: Settings): AlertDefinition {
  const interval = select(families.pollInterval, { collector: "key" });
  return {
    name: "AIGatewayPollIntervalLong",
    severity: "warning",
    comment:
      "The windows of these rules must contain several polls. For longer intervals, generate the rules again.",
    expr: promql`max by (job) (${interval}) > ${timing.seconds(timing.longestPollSeconds)}`,
    for: 15 * MINUTE,
    summary: "Keys are polled too rarely for these alert rules.",
    description:
      "Warnings come late: {{ $labels.job }} polls each key every {{ $value | humanizeDuration }}, too rarely for the windows of the rules. Poll more often, raise gateway.requests_per_minute, or generate the rules for this interval.",
  };
}

function reloadFailed(): AlertDefinition {
  return {
    name: "AIGatewayExporterReloadFailed",
    severity: "warning",
    expr: promql`
      min by (job) (${families.reloadSuccessful}) == 0
      or
      min by (job) (${families.webUpToDate}) == 0
    `,
    for: 5 * MINUTE,
    summary: "The exporter could not load its changed configuration or certificate.",
    description:
      "{{ $labels.job }} keeps using its previous configuration or certificate: it does not monitor new keys and budgets, its certificate may expire, and it would not survive a restart. Its log lists every problem. Fix the file; after a change of the configuration, send SIGHUP.",
  };
}
