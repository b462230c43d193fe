import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { labelColumn, table, valueColumn, valueTexts } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { type AlertLabel, firingSince, urgency } from "../expressions/alerts.ts";
import { uids } from "../uids.ts";

const SEVERITIES = { 3: { text: "critical", color: "red" }, 2: { text: "warning" }, 1: { text: "info" } };

/** A link from a key's name to its dashboard, with the data source, job and time range of the present one. */
export const keyLink = {
  title: "Key ${__value.raw}",
  url: `/d/${uids.key}?var-key=\${__value.raw}&\${datasource:queryparam}&\${job:queryparam}&\${gateway:queryparam}&\${__url_time_range}`,
};

const LABELS = {
  team: labelColumn("team", "Team", { width: 150 }),
  key: labelColumn("key", "Key", { link: keyLink }),
  about: labelColumn("about", "About"),
};

/** The alerts that are firing now. */
export function firingAlerts(
  id: number,
  width: number,
  matchers: Parameters<typeof firingSince>[0],
  labels: readonly AlertLabel[] = [],
): PlacedPanel {
  // Room for the longest names: of all alerts, and of those on the exporter.
  const nameWidth = labels.includes("key") ? 310 : 240;
  return table({
    id,
    title: "Firing alerts",
    width,
    shows: "The firing alerts of the rules that come with the exporter.",
    read: "Most urgent first. critical: calls fail now or within hours. warning: act today. info: look when convenient.",
    act: "Follow the alert's runbook in docs/alerts.md.",
    empty:
      "No alert is firing, provided that Prometheus evaluates the rules. Alerts on rates need up to a day of history",
    columns: [
      labelColumn("alertname", "Alert", labels.length === 0 ? {} : { width: nameWidth }),
      valueColumn("Severity", urgency(matchers, labels), unit.none, {
        width: 95,
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts(SEVERITIES)],
      }),
      ...labels.map((label) => LABELS[label]),
      valueColumn("Since", firingSince(matchers, labels), unit.fromNow, { width: 145, steps: steps("text") }),
    ],
    hidden: ["job", "gateway"],
    sortBy: [
      { title: "Severity", desc: true },
      { title: "Since", desc: true },
    ],
  });
}
