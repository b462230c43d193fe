import type { RuleOptions } from "../dashboards/rules/settings.ts";
import type { ExporterConfig } from "./exporter-config.ts";
import { longestPollSeconds } from "./poll-interval.ts";
import type { Known } from "./setting-fields.ts";

/** The options of the rules: links, and windows that follow the exporter's schedule. Adds schedules that do not suit the rules to `problems`. */
export function ruleOptions(
  known: Known,
  config: ExporterConfig | undefined,
  problems: string[],
): RuleOptions {
  const { runbookBaseUrl, dashboardBaseUrl } = known;
  const links = {
    ...(runbookBaseUrl ? { runbookBaseUrl } : {}),
    ...(dashboardBaseUrl ? { dashboardBaseUrl } : {}),
  };
  const hasRules = known.rules !== "none" || (known.grafana === true && known.grafanaAlerts === true);
  if (!config || !hasRules) return links;
  const { schedule, gateway, keys } = config.file;
  const pollIntervalSeconds = longestPollSeconds(schedule.keys, keys.length, gateway.requests_per_minute);
  const analyticsIntervalSeconds = longestPollSeconds(schedule.analytics);
  const unsuited = { keys: pollIntervalSeconds, analytics: analyticsIntervalSeconds };
  for (const [name, seconds] of Object.entries(unsuited)) {
    if (seconds === undefined) problems.push(`exporter.schedule.${name}: ${NOT_HOURLY}`);
  }
  if (pollIntervalSeconds === undefined || analyticsIntervalSeconds === undefined) return links;
  return { ...links, pollIntervalSeconds, analyticsIntervalSeconds, ...probeInterval(config) };
}

/** The longest interval of a probe, since the window of recent runs must contain several runs. Ignores schedules that pause for hours, because the window would span their pauses. */
function probeInterval({ file: { probes } }: ExporterConfig): Pick<RuleOptions, "probeIntervalSeconds"> {
  const intervals = probes.flatMap(({ schedule }) => longestPollSeconds(schedule) ?? []);
  return intervals.length === 0 ? {} : { probeIntervalSeconds: Math.max(...intervals) };
}

const NOT_HOURLY =
  "does not run every hour, which alert rules need; change it, or deploy no rules (rules: none, grafanaAlerts: false)";
