import { readAlertChanges } from "../dashboards/rules/alert-changes.ts";
import { createRules } from "../dashboards/rules/index.ts";
import type { RuleOptions } from "../dashboards/rules/settings.ts";
import { gapsMs } from "../exporter/time/ticker.ts";
import type { ExporterConfig } from "./exporter-config.ts";
import type { Known } from "./setting-fields.ts";

/** The options of the rules: links, and a window of recent probe runs that follows their schedule. */
export function ruleOptions(known: Known, config: ExporterConfig | undefined): RuleOptions {
  const { changes: alerts } = readAlertChanges(known.alerts ?? {}, createRules());
  return {
    ...linksOf(known),
    ...(config ? probeInterval(config) : {}),
    ...(Object.keys(alerts).length > 0 && { alerts }),
  };
}

function linksOf({ runbookBaseUrl, dashboardBaseUrl, grafana, grafanaUrl = "" }: Known): RuleOptions {
  const ofGrafana = grafana === true && grafanaUrl !== "" ? `${grafanaUrl.replace(/\/+$/, "")}/d` : "";
  const dashboards = dashboardBaseUrl || ofGrafana;
  return {
    ...(runbookBaseUrl ? { runbookBaseUrl } : {}),
    ...(dashboards ? { dashboardBaseUrl: dashboards } : {}),
  };
}

const HOUR = 3600;

/**
 * The longest interval of a probe, since the window of recent runs must contain several runs. Ignores cron
 * schedules that pause for hours, because the window would span their pauses.
 */
function probeInterval({ file: { probes } }: ExporterConfig): Pick<RuleOptions, "probeIntervalSeconds"> {
  const intervals = probes
    .map(({ schedule }) => ({
      isFixed: schedule.kind === "interval",
      seconds: gapsMs(schedule).longest / 1000,
    }))
    .flatMap(({ isFixed, seconds }) => (isFixed || seconds <= HOUR ? [Math.ceil(seconds)] : []));
  return intervals.length === 0 ? {} : { probeIntervalSeconds: Math.max(...intervals) };
}
