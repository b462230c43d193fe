import { usageFamiliesOf } from "../../exporter/collectors/analytics-families.ts";
import { discoveryFamilies as families } from "../../exporter/collectors/discovery-families.ts";
import { unwatchedFamilies } from "../../exporter/collectors/unwatched-families.ts";
import { uids } from "../uids.ts";
import { HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql } from "../promql.ts";
import { GATEWAY } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";

const LINK = { uid: uids.account };

/** Alerts on the list of the account's keys: whether it is read, and whether unwatched keys spend credits. */
export function accountKeys(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) => createAlert(settings, LINK, definition);
  return {
    name: "aigateway-account-keys",
    comment: "Keys of the account: whether they are listed, and whether unwatched keys spend credits.",
    interval: settings.timing.duration(MINUTE),
    rules: [alert(discoveryFailing(settings)), alert(unwatchedSpend())],
  };
}

function discoveryFailing({ timing }: Settings): AlertDefinition {
  const { up, lastSuccess } = families;
  const failing = promql`max by (job, gateway, workspace) (${up}) == 0`;
  const listed = promql`max by (job, gateway, workspace) (last_over_time(${lastSuccess}[${timing.memory}]))`;
  return {
    name: "AIGatewayDiscoveryFailing",
    severity: "warning",
    comment: "The value is the age of the last complete list; 0 if the exporter has none yet.",
    expr: promql`
      (${timing.now} - ${listed} and on (job, gateway, workspace) ${failing})
      or ${failing}`,
    for: 30 * MINUTE,
    summary: "The keys of the account are no longer listed.",
    description: `New keys of the workspace {{ $labels.workspace }}${GATEWAY} are not monitored, and no alert covers the limits of keys that are only listed: {{ if gt $value 0.0 }}the last complete list is {{ $value | humanizeDuration }} old{{ else }}the exporter has no complete list yet{{ end }}. Look for the reason on the exporter's status page or in its log; 403 means that the configured key is not a management key.`,
  };
}

function unwatchedSpend(): AlertDefinition {
  const spent = promql`max by (job, gateway) (${unwatchedFamilies.day})`;
  const total = promql`sum by (job, gateway) (max by (job, gateway, model, app) (${usageFamiliesOf.day.credits}))`;
  return {
    name: "AIGatewayUnwatchedSpend",
    severity: "info",
    comment:
      "Today's spend, so that the alert ends with the day if the spending does. The value is its share of the account.",
    expr: promql`
      ${spent} / on (job, gateway) (${total} > 0)
      and on (job, gateway) ${spent} > ${thresholds.unwatchedCredits}`,
    for: 15 * MINUTE,
    keepFiringFor: HOUR,
    summary: "Unwatched keys spend the account's credits.",
    description: `No limit, budget or owner that the exporter knows covers {{ $value | humanizePercentage }} of what the account${GATEWAY} has spent since 00:00 UTC: it was spent by keys that are neither configured nor listed, by deleted keys, or without a key. The dashboard shows their names. List their workspace (discovery.workspaces, discovery.include) or configure them, and disable keys that nobody knows.`,
  };
}
