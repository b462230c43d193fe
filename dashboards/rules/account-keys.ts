import { ownQueryFamilies } from "../../exporter/collectors/analytics-families.ts";
import { discoveryFamilies as families } from "../../exporter/collectors/discovery-families.ts";
import { uids } from "../uids.ts";
import { HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql } from "../promql.ts";
import { GATEWAY, LOOK } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import { unwatchedFamilies } from "../../exporter/collectors/account-families.ts";

const LINK = { uid: uids.account, labels: ["job"] };

/** Alerts on the list of the account's keys: whether it is read, and whether unwatched keys spend credits. */
export function accountKeys(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) => createAlert(settings, LINK, definition);
  return {
    name: "aigateway-account-keys",
    comment: "Keys of the account: whether they are listed, watched and limited.",
    interval: settings.timing.duration(MINUTE),
    rules: [alert(discoveryFailing(settings)), alert(unwatchedSpend()), alert(findings())],
  };
}

/** The value is the age of the last complete list. A workspace without any counts since 1970. */
function discoveryFailing({ timing }: Settings): AlertDefinition {
  const { up, lastSuccess } = families;
  const { now, memory } = timing;
  const text =
    "{{ if lt $value 1e9 }}the last complete list is {{ $value | humanizeDuration }} old{{ else }}the exporter has no complete list yet{{ end }}";
  return {
    name: "AIGatewayDiscoveryFailing",
    severity: "warning",
    fires: "The keys of the account are no longer listed.",
    expr: promql`
      ${now} - max by (job, gateway, workspace) (last_over_time(${lastSuccess}[${memory}]) or 0 * ${up})
      and on (job, gateway, workspace) max by (job, gateway, workspace) (last_over_time(${up}[${memory}])) == 0`,
    for: 30 * MINUTE,
    summary: `The keys of the workspace {{ $labels.workspace }}${GATEWAY} are not listed: ${text}`,
    description: `New keys of the workspace {{ $labels.workspace }}${GATEWAY} are not monitored, and no alert covers the limits of keys that are only listed. ${LOOK}`,
  };
}

/** Today's spend, so that the alert ends with the day if the spending does. */
function unwatchedSpend(): AlertDefinition {
  return {
    name: "AIGatewayUnwatchedSpend",
    severity: "info",
    fires: "Unwatched keys spend the account's credits.",
    expr: promql`max by (job, gateway) (${unwatchedFamilies.day}) > ${thresholds.unwatchedCredits}`,
    for: 15 * MINUTE,
    keepFiringFor: HOUR,
    summary: `Keys that nobody watches have spent {{ $value | printf "%.2f" }} credits today${GATEWAY}${NAMES}`,
    description: `Keys that are neither configured nor listed spend credits of the account${GATEWAY}. List their workspace (discovery.workspaces, discovery.include) or configure them, and disable keys that nobody knows.`,
  };
}

const { name: spend } = ownQueryFamilies.credits;

/** The names that no listed key has, the most expensive first. */
const NAMES = `{{ range $i, $k := printf "topk(3, sum by (api_key) (${spend}{query='keys-day',api_key!~'_.*',job=%[1]q,gateway=%[2]q} unless on (job, gateway, api_key) ${families.info.name}) and on () ${families.keys.name}{job=%[1]q,gateway=%[2]q})" $labels.job (or $labels.gateway "") | query }}{{ if $i }},{{ else }}:{{ end }} {{ $k.Labels.api_key }}{{ end }}`;

/** The value is the number of such keys. */
function findings(): AlertDefinition {
  const each = promql`max by (job, gateway, key, finding) (${families.finding})`;
  return {
    name: "AIGatewayRiskyKeys",
    severity: "info",
    fires: "Keys of the account have no limit or no expiry, or are not used.",
    expr: `count by (job, gateway, finding) (${each}) > 0`,
    for: HOUR,
    summary: `{{ $value }} keys of the account${GATEWAY} are at risk: {{ $labels.finding }}`,
    description: `If a key of the account${GATEWAY} leaks that aigateway_key_finding_info names, little limits the damage. Give them a limit or an expiry, and delete those that nobody needs.`,
  };
}
