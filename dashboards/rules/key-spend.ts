import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { uids } from "../uids.ts";
import { DAY, MINUTE, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { KEY, ofKeyOwner } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** The alert on unusual spend: a group of its own, because it reads most of all alerts, and what it reads changes within hours. */
export function keySpend(settings: Settings): RuleGroup {
  const { timing } = settings;
  return {
    name: "aigateway-key-spend",
    comment: "Keys that spend unusually much.",
    interval: timing.duration(15 * MINUTE),
    rules: [createAlert(settings, { uid: uids.key, labels: ["job", "key"] }, spendAnomaly(timing))],
  };
}

/** After a restart without a management key, what was usual before it counts until the exporter knows it again. */
function spendAnomaly(timing: Timing): AlertDefinition {
  const { hour, day, credits } = thresholds.anomaly;
  const before = timing.duration(4 * DAY);
  const isAbove = (window: string, factor: number) => {
    const burn = select(forecastFamilies.keyBurn, { window });
    const usual = select(forecastFamilies.keyUsualBurn, { window });
    return promql`max by (job, gateway, key) (${burn}) > ${factor} * max by (job, gateway, key) (${usual} or ${usual} offset ${before})`;
  };
  return {
    name: "AIGatewayKeySpendAnomaly",
    severity: "info",
    fires: "A key spends far more than in the last week.",
    expr: ofKeyOwner(
      timing,
      promql`
        ((${isAbove("1h", hour)}
        or ${isAbove("1d", day)}) > ${credits})`,
    ),
    for: 15 * MINUTE,
    keepFiringFor: 30 * MINUTE,
    summary: `Key {{ $labels.key }} spends {{ $value | printf "%.2f" }} credits an hour, far more than in its last week`,
    description: `${KEY} spends more than twice as much as in any hour of the week before yesterday, or one and a half times as much as on any day. Ask the owner whether that is intended; if not, look for a loop, a leaked key or a higher price.`,
  };
}
