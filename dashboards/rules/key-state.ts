import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { withKeyTeam } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, JOB, type AlertDefinition, type Settings } from "./settings.ts";

const LINK = { uid: uids.key, label: "key" };

/** Alerts on keys themselves: refused, expiring, gone, not heard of, spending unlike themselves. */
export function keyState(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) => createAlert(settings, LINK, definition);
  const ofOwner = (definition: AlertDefinition) =>
    alert({ ...definition, expr: withKeyTeam(definition.expr) });
  return {
    name: "aigateway-key-state",
    comment: "Keys themselves: refused, expiring, gone, not heard of, spending unlike themselves.",
    interval: settings.timing.duration(60),
    rules: [
      ofOwner(unauthorized()),
      ofOwner(expiresSoon(settings)),
      ofOwner(freeQuotaLow()),
      ofOwner(spendAnomaly(settings)),
      ofOwner(usageCorrected(settings)),
      alert(disappeared(settings)),
      ofOwner(dataStale(settings)),
    ],
  };
}

function unauthorized(): AlertDefinition {
  return {
    name: "AIGatewayKeyUnauthorized",
    severity: "critical",
    expr: promql`max by (job, key) (${families.unauthorized}) == 1`,
    for: 5 * 60,
    keepFiringFor: 10 * 60,
    summary: "The gateway refuses a key.",
    description:
      "The gateway answers 401 to key {{ $labels.key }}: it was disabled, deleted or has expired, and so are the calls of whoever uses it. Ask its owner whether that was meant; else make a new key and replace the secret.",
  };
}

function expiresSoon({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeyExpiresSoon",
    severity: "warning",
    expr: promql`
      max by (job, key) (last_over_time(${families.expiry}[${timing.memory}])) - ${timing.now}
      < ${timing.seconds(thresholds.expiresSoon)}`,
    for: 15 * 60,
    summary: "A key expires within a week.",
    description:
      "Key {{ $labels.key }} expires in {{ $value | humanizeDuration }}. Make a new one, hand it to those who use it, and replace the exporter's secret.",
  };
}

function freeQuotaLow(): AlertDefinition {
  return {
    name: "AIGatewayKeyFreeQuotaLow",
    severity: "info",
    expr: promql`
      min by (job, key) (${families.freeRequestsRemaining})
      / (max by (job, key) (${families.freeRequestsLimit}) > 0)
      < ${thresholds.freeQuotaLow}`,
    for: 5 * 60,
    keepFiringFor: 10 * 60,
    summary: "A key has nearly used up its free requests of the day.",
    description:
      "Key {{ $labels.key }} has {{ $value | humanizePercentage }} of today's requests to free models left; after that they are refused (429) until 00:00 UTC. Use a paid model, or wait.",
  };
}

function spendAnomaly({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeySpendAnomaly",
    severity: "info",
    comment:
      "Against the fastest hour of its own last week, so that neither office hours nor a nightly job is one.",
    expr: promql`
      ${recorded.burn1h} * 3600 > ${thresholds.anomalyCredits}
      and ${recorded.burn1h} > ${thresholds.anomalyFactor} * ${recorded.burn1hMax7d}
      # A key that is new has nothing to be compared with.
      and ${recorded.burn1hMax7d} offset ${timing.duration(86_400)}`,
    for: 15 * 60,
    keepFiringFor: 30 * 60,
    summary: "A key spends far faster than in any hour of its last week.",
    description:
      'Key {{ $labels.key }} spends {{ $value | printf "%.2f" }} credits an hour, more than three times as much as in its dearest hour of the last week. Ask its owner whether that is meant.',
  };
}

function usageCorrected({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeyUsageCorrected",
    severity: "info",
    expr: promql`resets(${recorded.usage}[${timing.duration(3600)}]) > 0`,
    summary: "The gateway lowered what a key has used in all.",
    description:
      "What key {{ $labels.key }} has used since it exists went down {{ $value }} time(s) within the last hour: a refund or a correction. Nothing to do, unless sums of its spend must be explained.",
  };
}

function disappeared({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeyDisappeared",
    severity: "warning",
    expr: promql`
      (
        max by (job, key, team) (${families.ownerInfo} offset ${timing.duration(3600)})
        unless on (job, key) last_over_time(${families.ownerInfo}[${timing.memory}])
      )
      and on (job) up{job="${JOB}"} == 1`,
    for: 5 * 60,
    summary: "A key that was watched an hour ago is gone.",
    description:
      "Key {{ $labels.key }} is no longer in the exporter's configuration, {{ $labels.job }} being up: nothing warns of it any more. If that was not meant, put it back (a file of keys_dir may have gone).",
  };
}

function dataStale({ timing }: Settings): AlertDefinition {
  const interval = select(selfFamilies.pollInterval, { collector: "key" });
  return {
    name: "AIGatewayKeyDataStale",
    severity: "warning",
    comment:
      "Follows the interval of the polls. The second half is for keys that never had an answer: the value is 0.",
    expr: promql`
      (
        ${timing.now} - ${recorded.lastSuccess} > ${timing.seconds(thresholds.keyStale)}
        unless (
          ${timing.now} - ${recorded.lastSuccess}
          < on (job) group_left ()
            ${thresholds.staleIntervals} * max by (job) (last_over_time(${interval}[${timing.memory}]))
        )
      )
      or (
        max by (job, key) (${families.up}) == 0
        unless on (job, key) ${recorded.lastSuccess}
      )`,
    for: 5 * 60,
    summary: "Nothing new is known of a key.",
    description:
      "The last good answer about key {{ $labels.key }} {{ if gt $value 0.0 }}is {{ $value | humanizeDuration }} old{{ else }}never came{{ end }}: its credits are not watched. The exporter's log and status page give the reason.",
  };
}
