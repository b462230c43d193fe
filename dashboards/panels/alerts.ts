import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { labelColumn, table, valueColumn } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { firingSince } from "../expressions/alerts.ts";
import { uids } from "../uids.ts";

/** The alerts that are firing now. */
export function firingAlerts(
  id: number,
  width: number,
  matchers: Parameters<typeof firingSince>[0],
): PlacedPanel {
  return table({
    id,
    title: "Firing alerts",
    width,
    shows: "The firing alerts of the rules that come with the exporter.",
    read: "Newest first. critical: calls fail now or within hours. warning: act today. info: look when convenient.",
    act: "Follow the alert's runbook in docs/alerts.md.",
    empty:
      "No alert is firing, provided that Prometheus evaluates the rules. Alerts on rates need up to a day of history",
    columns: [
      labelColumn("alertname", "Alert"),
      labelColumn("severity", "Severity", { width: 80 }),
      labelColumn("key", "Key", { width: 130, link: keyLink }),
      valueColumn("Since", firingSince(matchers), unit.fromNow, { width: 145, steps: steps("text") }),
    ],
    hidden: ["job", "gateway", "team", "budget"],
    sortBy: [{ title: "Since", desc: true }],
  });
}

/** A link from a key's name to its dashboard, with the data source, job and time range of the present one. */
export const keyLink = {
  title: "Key ${__value.raw}",
  url: `/d/${uids.key}?var-key=\${__value.raw}&\${datasource:queryparam}&\${job:queryparam}&\${gateway:queryparam}&\${__url_time_range}`,
};
