import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { KEY, keysWith, LOOK, ofKeyOwner } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, JOB, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Alerts on keys themselves: refused, unanswered, expiring or removed. */
export function keyState(settings: Settings): RuleGroup {
  const { timing } = settings;
  const link = { uid: uids.key, labels: ["job", "key"] };
  return {
    name: "aigateway-key-state",
    comment: "Keys themselves: refused, unanswered, expiring or removed.",
    interval: timing.duration(5 * MINUTE),
    rules: [unauthorized, dataStale, expiresSoon, freeQuotaLow, limitRemoved, disappeared].map((define) =>
      createAlert(settings, link, define(timing)),
    ),
  };
}

function unauthorized(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayKeyUnauthorized",
    severity: "critical",
    fires: "The gateway refuses a key.",
    expr: keysWith(timing, promql`${families.unauthorized} == 1`),
    for: 5 * MINUTE,
    keepFiringFor: 10 * MINUTE,
    summary: `Key {{ $labels.key }} is refused by the gateway`,
    description: `${KEY} is refused by the gateway (401). Unless only its secret in the exporter is wrong, all its calls fail. ${LOOK}`,
  };
}

/** Of keys that are only listed, AIGatewayDiscoveryFailing covers all at once. A key without any answer counts since 1970. */
function dataStale(timing: Timing): AlertDefinition {
  const { now, memory } = timing;
  const answered = promql`max by (job, gateway, key) (last_over_time(${families.lastSuccess}[${memory}]) or 0 * (${families.up} == 0))`;
  const interval = select(selfFamilies.pollInterval, { collector: "key" });
  const limit = promql`clamp_min(${thresholds.staleIntervals} * max by (job, gateway) (last_over_time(${interval}[${memory}])), ${thresholds.keyStale})`;
  return {
    name: "AIGatewayKeyDataStale",
    severity: "warning",
    fires: "The data of a key are stale.",
    expr: ofKeyOwner(
      timing,
      promql`
        (${now} - ${answered} > on (job, gateway) group_left () ${limit})
        unless on (job, gateway, key) last_over_time(${select(discoveryFamilies.info, { source: "listing" })}[${memory}])`,
    ),
    for: 5 * MINUTE,
    summary: `Key {{ $labels.key }} has had no good answer ${SINCE}`,
    description: `${KEY} may run out of credits without an alert. ${LOOK}`,
  };
}

/** An age, unless it counts since 1970 because there was never an answer. */
const SINCE = "{{ if lt $value 1e9 }}for {{ $value | humanizeDuration }}{{ else }}yet{{ end }}";

function expiresSoon(timing: Timing): AlertDefinition {
  const { now, memory } = timing;
  const text = `{{ if gt $value 0.0 }}expires in {{ $value | humanizeDuration }}{{ else }}expired {{ $value | humanizeDuration | reReplaceAll "-" "" }} ago{{ end }}`;
  return {
    name: "AIGatewayKeyExpiresSoon",
    severity: "warning",
    fires: "A key expires within a week, or has expired.",
    expr: ofKeyOwner(
      timing,
      promql`
        (max by (job, gateway, key) (last_over_time(${families.expiry}[${memory}])) - ${now} < ${thresholds.expiresSoon})
        unless on (job, gateway, key) last_over_time(${discoveryFamilies.disabled}[${memory}]) == 1`,
    ),
    for: 15 * MINUTE,
    summary: `Key {{ $labels.key }} ${text}`,
    description: `${KEY} is refused (401) once it has expired. If it is needed, create a new key for its users and the exporter.`,
  };
}

function freeQuotaLow(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayKeyFreeQuotaLow",
    severity: "info",
    fires: "A key has nearly used up its free requests for the day.",
    expr: ofKeyOwner(
      timing,
      promql`min by (job, gateway, key) (${families.freeRequestsRemaining} < ${thresholds.freeQuotaLow} * ${families.freeRequestsLimit})`,
    ),
    for: 5 * MINUTE,
    keepFiringFor: 10 * MINUTE,
    summary: `Key {{ $labels.key }} has {{ $value }} free requests left until 00:00 UTC`,
    description: `${KEY} has nearly used up the day's requests to free models; then the gateway refuses them (429). Use a paid model, or wait.`,
  };
}

/** A key whose answers lack the limit is one without a limit, unless they are missing. */
function limitRemoved(timing: Timing): AlertDefinition {
  const { memory, duration } = timing;
  const limit = (offset: string) => promql`last_over_time(${families.limit}[${memory}]${offset})`;
  return {
    name: "AIGatewayKeyLimitRemoved",
    severity: "info",
    fires: "A key has lost its limit.",
    expr: keysWith(
      timing,
      promql`(${limit(` offset ${duration(HOUR)}`)} unless on (job, gateway, key) ${limit("")})`,
      promql`${families.up} == 1`,
    ),
    for: 5 * MINUTE,
    summary: `Key {{ $labels.key }} has lost its limit`,
    description: `${KEY} had a limit an hour ago and has none now, so nothing of its own stops its spending. Ask its owner whether that is intended.`,
  };
}

/** Keys that were only listed vanish when they are deleted or renamed at the gateway, which is expected. */
function disappeared({ duration, memory }: Timing): AlertDefinition {
  const before = duration(HOUR);
  return {
    name: "AIGatewayKeyDisappeared",
    severity: "warning",
    fires: "A key that was monitored an hour ago is gone.",
    expr: promql`
      max by (job, gateway, key, team) (${families.ownerInfo} offset ${before})
      unless on (job, gateway, key) last_over_time(${families.ownerInfo}[${memory}])
      unless on (job, gateway, key) ${select(discoveryFamilies.info, { source: "listing" })} offset ${before}
      and on (job, gateway) (${selfFamilies.buildInfo} or up{job="${JOB}"} == 1)`,
    for: 5 * MINUTE,
    summary: `Key {{ $labels.key }} is no longer monitored`,
    description: `${KEY} is missing from the configuration of {{ $labels.job }}, and no alert covers it. If that was not intended, restore its entry or its file in keys_dir.`,
  };
}
