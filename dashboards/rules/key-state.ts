import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { DAY, HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { KEY, withKeyTeam } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, JOB, type AlertDefinition, type Settings } from "./settings.ts";

const LINK = { uid: uids.key, label: "key" };

/** Alerts on the state of keys: refused, expiring, removed, stale, or spending unusually fast. */
export function keyState(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) => createAlert(settings, LINK, definition);
  const ofOwner = (definition: AlertDefinition) =>
    alert({ ...definition, expr: withKeyTeam(definition.expr) });
  return {
    name: "aigateway-key-state",
    comment: "State of keys: refused, expiring, removed, stale, or spending unusually fast.",
    interval: settings.timing.duration(MINUTE),
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
    for: 5 * MINUTE,
    keepFiringFor: 10 * MINUTE,
    summary: "The gateway refuses a key.",
    description: `${KEY} is refused by the gateway (401), so every call made with it fails: it was disabled, was deleted or has expired. Ask the owner whether that was intended; if not, create a new key and replace the secret.`,
  };
}

function expiresSoon({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeyExpiresSoon",
    severity: "warning",
    expr: promql`
      max by (job, key) (last_over_time(${families.expiry}[${timing.memory}])) - ${timing.now}
      < ${timing.seconds(thresholds.expiresSoon)}`,
    for: 15 * MINUTE,
    summary: "A key expires within a week.",
    description: `${KEY} expires in {{ $value | humanizeDuration }}; then its calls fail (401). Create a new key, distribute it to its users, and replace the exporter's secret.`,
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
    for: 5 * MINUTE,
    keepFiringFor: 10 * MINUTE,
    summary: "A key has nearly used up its free requests for the day.",
    description: `${KEY} has {{ $value | humanizePercentage }} of today's requests to free models left; then the gateway refuses them (429) until 00:00 UTC. Use a paid model, or wait.`,
  };
}

function spendAnomaly({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeySpendAnomaly",
    severity: "info",
    comment:
      "Compared with the fastest hour of the key's own last week, so that neither office hours nor a nightly job is an anomaly.",
    expr: promql`
      ${recorded.burn1h} * 3600 > ${thresholds.anomalyCredits}
      and ${recorded.burn1h} > ${thresholds.anomalyFactor} * ${recorded.burn1hMax7d}
      # A new key has no history to compare with.
      and ${recorded.burn1hMax7d} offset ${timing.duration(DAY)}`,
    for: 15 * MINUTE,
    keepFiringFor: 30 * MINUTE,
    summary: "A key spends far faster than in any hour of the last week.",
    description: `${KEY} spends {{ $value | printf "%.2f" }} credits an hour, more than three times as much as in its most expensive hour of the last week. Ask the owner whether that is intended.`,
  };
}

function usageCorrected({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeyUsageCorrected",
    severity: "info",
    expr: promql`resets(${recorded.usage}[${timing.duration(HOUR)}]) > 0`,
    summary: "The gateway lowered the total usage of a key.",
    description: `${KEY} had its total usage lowered {{ $value }} time(s) in the last hour, by a refund or a correction. No action is needed, unless someone must explain its spend.`,
  };
}

function disappeared({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeyDisappeared",
    severity: "warning",
    expr: promql`
      (
        max by (job, key, team) (${families.ownerInfo} offset ${timing.duration(HOUR)})
        unless on (job, key) last_over_time(${families.ownerInfo}[${timing.memory}])
      )
      and on (job) up{job="${JOB}"} == 1`,
    for: 5 * MINUTE,
    summary: "A key that was monitored an hour ago is gone.",
    description: `${KEY} is no longer monitored, and no alert covers it: {{ $labels.job }} is up, but the key is missing from its configuration. If that was not intended, restore it (a file of keys_dir may have been deleted).`,
  };
}

function dataStale({ timing }: Settings): AlertDefinition {
  const interval = select(selfFamilies.pollInterval, { collector: "key" });
  return {
    name: "AIGatewayKeyDataStale",
    severity: "warning",
    comment:
      "The threshold follows the poll interval. The second half covers keys that never got an answer, with the value 0.",
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
    for: 5 * MINUTE,
    summary: "The data of a key are stale.",
    description: `${KEY} {{ if gt $value 0.0 }}has had no good answer for {{ $value | humanizeDuration }}{{ else }}has never had a good answer{{ end }}, so no alert covers its credits. The exporter's log and status page give the reason.`,
  };
}
