import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { lately } from "./key-days.ts";
import { historic } from "./key-history.ts";
import { KEY, withKeyTeam } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, JOB, type AlertDefinition, type Settings } from "./settings.ts";
import { slowly } from "./timing.ts";

/** Alerts on keys that the gateway refuses, or about which it does not answer. */
export function keyAnswers(settings: Settings): RuleGroup {
  return {
    name: "aigateway-key-answers",
    comment:
      "Keys that the gateway refuses, or whose last answer is old. Evaluated every two minutes, because AIGatewayKeyDataStale must fire before the rules forget the last answer, after 25 minutes.",
    interval: settings.timing.duration(2 * MINUTE),
    rules: [ofOwner(settings, unauthorized()), ofOwner(settings, dataStale(settings))],
  };
}

/** Alerts on the state of keys: expiring, removed, or spending unusually fast. */
export function keyState(settings: Settings): RuleGroup {
  return {
    name: "aigateway-key-state",
    comment: "State of keys: expiring, removed, or spending unusually fast.",
    interval: slowly(settings.timing),
    rules: [
      ofOwner(settings, expiresSoon(settings)),
      ofOwner(settings, freeQuotaLow()),
      ofOwner(settings, spendAnomaly(settings)),
      ofOwner(settings, usageCorrected(settings)),
      createAlert(settings, LINK, disappeared(settings)),
    ],
  };
}

const LINK = { uid: uids.key, label: "key" };

function ofOwner(settings: Settings, definition: AlertDefinition) {
  return createAlert(settings, LINK, { ...definition, expr: withKeyTeam(definition.expr) });
}

function unauthorized(): AlertDefinition {
  return {
    name: "AIGatewayKeyUnauthorized",
    severity: "critical",
    expr: promql`max by (job, gateway, key) (${families.unauthorized} == 1)`,
    for: 5 * MINUTE,
    keepFiringFor: 10 * MINUTE,
    summary: "The gateway refuses a key.",
    description: `${KEY} is refused by the gateway (401): it was disabled or deleted, has expired, or its secret in the exporter is wrong. In all cases but the last, every call made with it fails. Check the secret; if it is right, ask the owner whether that was intended, and create a new key if not.`,
  };
}

function expiresSoon({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeyExpiresSoon",
    severity: "warning",
    expr: promql`
      max by (job, gateway, key) (last_over_time(${families.expiry}[${timing.memory}])) - ${timing.now}
      < ${timing.seconds(thresholds.expiresSoon)}
      unless on (job, gateway, key) max by (job, gateway, key) (last_over_time(${discoveryFamilies.disabled}[${timing.memory}])) == 1`,
    for: 15 * MINUTE,
    summary: "A key expires within a week, or has expired.",
    description: `${KEY} {{ if gt $value 0.0 }}expires in {{ $value | humanizeDuration }}; then its calls fail (401){{ else }}expired {{ $value | humanizeDuration | reReplaceAll "-" "" }} ago, so its calls fail (401){{ end }}. If it is still needed, create a new key, give it to its users, and replace the exporter's secret.`,
  };
}

function freeQuotaLow(): AlertDefinition {
  return {
    name: "AIGatewayKeyFreeQuotaLow",
    severity: "info",
    expr: promql`
      min by (job, gateway, key) (${families.freeRequestsRemaining})
      / max by (job, gateway, key) (${families.freeRequestsLimit})
      < ${thresholds.freeQuotaLow}`,
    for: 5 * MINUTE,
    keepFiringFor: 10 * MINUTE,
    summary: "A key has nearly used up its free requests for the day.",
    description: `${KEY} has {{ $value | humanizePercentage }} of today's requests to free models left. Once they are used up, the gateway refuses such requests (429) until 00:00 UTC. Use a paid model, or wait.`,
  };
}

function spendAnomaly({ timing }: Settings): AlertDefinition {
  const { hour, day, credits } = thresholds.anomaly;
  return {
    name: "AIGatewayKeySpendAnomaly",
    severity: "info",
    comment:
      "Compared with the fastest hour and the most expensive day of the key's own last week, so that neither office hours nor a nightly job is an anomaly. The hour finds a loop; the day finds slower changes, such as a leaked key or a higher price.",
    expr: promql`
      (
        ${recorded.burn1h} > ${hour} * ${historic(timing, recorded.burn1hMax7d)}
        or ${lately(timing, recorded.burn1d)} > ${day} * ${historic(timing, recorded.burn1dMax7d)}
      ) * 3600 > ${credits}
      # A key that is younger than a day has no history to compare with.
      and ${lately(timing, recorded.burn1d)}`,
    for: 15 * MINUTE,
    keepFiringFor: 30 * MINUTE,
    summary: "A key spends far more than in the last week.",
    description: `${KEY} spends {{ $value | printf "%.2f" }} credits an hour. Its last hour cost more than twice as much as the most expensive hour of its last week, or its last day more than one and a half times as much as the most expensive day. Ask the owner whether that is intended; if not, look for a loop, a leaked key or a higher price.`,
  };
}

function usageCorrected({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeyUsageCorrected",
    severity: "info",
    expr: promql`resets(${recorded.usage}[${timing.duration(HOUR)}]) > 0`,
    summary: "The total usage of a key has fallen.",
    description: `${KEY} reports less total usage than before ({{ $value }} times in the last hour): the gateway refunded or corrected it, or the exporter has the secret of another key. No action is needed if the secret was rotated, or unless someone must explain the spend.`,
  };
}

function disappeared({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayKeyDisappeared",
    severity: "warning",
    comment:
      "Keys that were only listed vanish when they are deleted or renamed at the gateway, which is expected.",
    expr: promql`
      max by (job, gateway, key, team) (
        ${families.ownerInfo} offset ${timing.duration(HOUR)}
        unless on (job, gateway, key) last_over_time(${families.ownerInfo}[${timing.memory}])
        unless on (job, gateway, key) ${LISTED} offset ${timing.duration(HOUR)}
      )
      and on (job, gateway) (${selfFamilies.buildInfo} or up{job="${JOB}"} == 1)`,
    for: 5 * MINUTE,
    summary: "A key that was monitored an hour ago is gone.",
    description: `${KEY} is no longer monitored, and no alert covers it: {{ $labels.job }} is up, but the key is missing from its configuration. If that was not intended, restore its entry or its file in keys_dir.`,
  };
}

/** The keys whose secrets are not configured. */
const LISTED = select(discoveryFamilies.info, { source: "listing" });

function dataStale({ timing }: Settings): AlertDefinition {
  const { now } = timing;
  const stale = promql`${now} - (${recorded.lastSuccess} < ${now} - ${timing.seconds(thresholds.keyStale)})`;
  const within = (collector: string) => {
    const interval = select(selfFamilies.pollInterval, { collector });
    return promql`
      ${stale}
      < on (job, gateway) group_left ()
        ${thresholds.staleIntervals} * max by (job, gateway) (last_over_time(${interval}[${timing.memory}]))`;
  };
  return {
    name: "AIGatewayKeyDataStale",
    severity: "warning",
    comment:
      "The threshold depends on the poll interval or, for keys that are only listed, on the interval of the list. While a list fails, AIGatewayDiscoveryFailing covers all of its keys. The last part covers keys that never got an answer, with the value 0.",
    expr: promql`
      (
        ${stale}
        unless (${within("key")})
        unless (
          ${within("discovery")}
          and on (job, gateway, key) last_over_time(${LISTED}[${timing.memory}])
        )
        unless on (job, gateway, key) (
          last_over_time(${LISTED}[${timing.memory}])
          and on (job, gateway, workspace) max by (job, gateway, workspace) (${discoveryFamilies.up}) == 0
        )
      )
      or (
        max by (job, gateway, key) (${families.up}) == 0
        unless on (job, gateway, key) ${recorded.lastSuccess}
      )`,
    for: 5 * MINUTE,
    summary: "The data of a key are stale.",
    description: `${KEY} may run out of credits without an alert: no good answer has arrived {{ if gt $value 0.0 }}for {{ $value | humanizeDuration }}{{ else }}yet{{ end }}. Look for the reason on the exporter's status page or in its log.`,
  };
}
