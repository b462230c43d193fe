import type { RuleOptions } from "../dashboards/rules/settings.ts";
import type { ExporterConfig } from "./exporter-config.ts";
import { shardOfName } from "../exporter/config/schema.ts";
import { longestPollSeconds } from "./poll-interval.ts";
import type { Known } from "./setting-fields.ts";

/**
 * The options of the rules: links, and windows that follow the exporter's schedule. Adds schedules that do
 * not suit the rules to `problems`.
 */
export function ruleOptions(
  known: Known,
  config: ExporterConfig | undefined,
  problems: string[],
): RuleOptions {
  const links = linksOf(known);
  const hasRules = known.rules !== "none" || (known.grafana === true && known.grafanaAlerts === true);
  if (!config || !hasRules) return links;
  const { schedule } = config.file;
  const pollIntervalSeconds = slowestShardSeconds(config);
  const analyticsIntervalSeconds = longestPollSeconds(schedule.analytics);
  const unsuited = {
    keys: pollIntervalSeconds,
    ...(isListed(config) ? { discovery: longestPollSeconds(schedule.discovery) } : {}),
    analytics: analyticsIntervalSeconds,
  };
  for (const [name, seconds] of Object.entries(unsuited)) {
    if (seconds === undefined) problems.push(`exporter.schedule.${name}: ${NOT_HOURLY}`);
  }
  if (pollIntervalSeconds === undefined || analyticsIntervalSeconds === undefined) return links;
  return {
    ...links,
    pollIntervalSeconds,
    ...discoveryInterval(unsuited.discovery),
    analyticsIntervalSeconds,
    ...probeInterval(config),
  };
}

/** The longest time between two polls of a key. Each shard has its keys, and its part of the pace. */
function slowestShardSeconds({ file }: ExporterConfig): number | undefined {
  const { schedule, gateway, keys, probes, shards: total } = file;
  const payers = new Set(probes.map(({ key }) => key));
  const counts = Array.from({ length: total }, () => 0);
  for (const { name } of keys) {
    const ordinal = payers.has(name) ? 0 : shardOfName(name, total);
    counts[ordinal] = (counts[ordinal] ?? 0) + 1;
  }
  const seconds = counts.map((count, ordinal) => {
    const share = Math.floor((gateway.requests_per_minute + total - 1 - ordinal) / total);
    return longestPollSeconds(schedule.keys, count, share);
  });
  const known = seconds.filter((each) => each !== undefined);
  return known.length < seconds.length ? undefined : Math.max(...known);
}

/** Whether the keys of the account are listed. Without the section `discovery`, they are if no keys are configured. */
function isListed({ file: { analytics, discovery, keys, keys_dir: directory } }: ExporterConfig): boolean {
  return analytics !== undefined && (discovery?.enabled ?? (keys.length === 0 && directory === undefined));
}

function discoveryInterval(seconds: number | undefined): Pick<RuleOptions, "discoveryIntervalSeconds"> {
  return seconds === undefined ? {} : { discoveryIntervalSeconds: seconds };
}

function linksOf({ runbookBaseUrl, dashboardBaseUrl, grafana, grafanaUrl = "" }: Known): RuleOptions {
  const ofGrafana = grafana === true && grafanaUrl !== "" ? `${grafanaUrl.replace(/\/+$/, "")}/d` : "";
  const dashboards = dashboardBaseUrl || ofGrafana;
  return {
    ...(runbookBaseUrl ? { runbookBaseUrl } : {}),
    ...(dashboards ? { dashboardBaseUrl: dashboards } : {}),
  };
}

/**
 * The longest interval of a probe, since the window of recent runs must contain several runs. Ignores
 * schedules that pause for hours, because the window would span their pauses.
 */
function probeInterval({ file: { probes } }: ExporterConfig): Pick<RuleOptions, "probeIntervalSeconds"> {
  const intervals = probes.flatMap(({ schedule }) => longestPollSeconds(schedule) ?? []);
  return intervals.length === 0 ? {} : { probeIntervalSeconds: Math.max(...intervals) };
}

const NOT_HOURLY =
  "does not run every hour, which alert rules need; change it, or deploy no rules (rules: none, grafanaAlerts: false)";
