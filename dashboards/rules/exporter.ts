import { selfFamilies as families } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, JOB, type AlertDefinition, type Settings } from "./settings.ts";

const LINK = { uid: uids.exporter };

/** Alerts on the exporter itself and its way to the gateway: without it no other alert can fire. */
export function exporterItself(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) => createAlert(settings, LINK, definition);
  return {
    name: "aigateway-exporter",
    comment: "The exporter itself and its way to the gateway: without it no other alert can fire.",
    interval: settings.timing.duration(60),
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
    for: 10 * 60,
    summary: "The exporter cannot be scraped.",
    description:
      "Prometheus has not reached a single process of {{ $labels.job }} for ten minutes: no alert on credits or budgets can fire. Look at the pod and its log, then at the scrape job.",
  };
}

function upstreamErrors({ timing }: Settings): AlertDefinition {
  const range = timing.duration(15 * 60);
  // Refusals of single keys have alerts of their own.
  const failed = select(families.upstreamRequests, { code: "!~2..|40[1-3]" });
  return {
    name: "AIGatewayUpstreamErrors",
    severity: "warning",
    expr: promql`
      sum by (job, endpoint) (rate(${failed}[${range}]))
      / (sum by (job, endpoint) (rate(${families.upstreamRequests}[${range}])) > 0)
      > ${thresholds.upstreamErrors}`,
    for: 15 * 60,
    keepFiringFor: 15 * 60,
    summary: "Most requests to the gateway fail.",
    description:
      "{{ $value | humanizePercentage }} of the requests to the endpoint {{ $labels.endpoint }} failed in the last 15 minutes. The dashboard shows the status codes; see whether the gateway has an incident, then proxy and network.",
  };
}

function throttled({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayUpstreamThrottled",
    severity: "warning",
    expr: promql`max by (job, endpoint) (${families.throttledUntil}) - ${timing.now} > 0`,
    for: 30 * 60,
    keepFiringFor: 15 * 60,
    summary: "The gateway throttles the exporter.",
    description:
      "The gateway has answered 429 for half an hour; requests to the endpoint {{ $labels.endpoint }} wait another {{ $value | humanizeDuration }} and data get old. Lower gateway.requests_per_minute or poll less often.",
  };
}

function seriesLimit({ timing }: Settings): AlertDefinition {
  const ratio = promql`max by (job) (${families.series}) / (max by (job) (${families.seriesLimit}) > 0)`;
  return {
    name: "AIGatewaySeriesLimit",
    severity: "warning",
    comment:
      "Nearly full, or an answer was refused because it would not have fitted: then the value is the share in use.",
    expr: promql`
      ${ratio} > ${thresholds.seriesLimit}
      or (
        ${ratio}
        and on (job) sum by (job) (increase(${families.refusedAnswers}[${timing.duration(15 * 60)}])) > 0
      )`,
    for: 5 * 60,
    keepFiringFor: 15 * 60,
    summary: "The exporter holds nearly as many series as it may.",
    description:
      "{{ $labels.job }} holds {{ $value | humanizePercentage }} of its series_limit; answers beyond it are refused, and their keys or models go missing. Raise series_limit, or lower analytics.top.",
  };
}

function pollIntervalLong({ timing }: Settings): AlertDefinition {
  const interval = select(families.pollInterval, { collector: "key" });
  return {
    name: "AIGatewayPollIntervalLong",
    severity: "warning",
    comment: "The windows of these rules must hold several polls; rules for longer intervals are generated.",
    expr: promql`max by (job) (${interval}) > ${timing.seconds(timing.longestPollSeconds)}`,
    for: 15 * 60,
    summary: "Keys are polled too seldom for these alert rules.",
    description:
      "{{ $labels.job }} polls each key every {{ $value | humanizeDuration }}, too seldom for the windows of the rules: warnings come late. Poll more often, raise gateway.requests_per_minute, or generate the rules for this interval.",
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
    for: 5 * 60,
    summary: "The exporter could not load its changed configuration or certificate.",
    description:
      "{{ $labels.job }} goes on with the configuration, or the certificate, that it had: keys and budgets that were added since are not watched, a certificate that was to be renewed runs out, and it would not start anew. Its log names every problem; mend the file, and send SIGHUP if it is the configuration.",
  };
}
