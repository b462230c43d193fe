import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { instant, range } from "../builder/query.ts";
import { ranking } from "../builder/ranking.ts";
import { stat } from "../builder/stat.ts";
import { bars, lines } from "../builder/time-series.ts";
import { unit } from "../builder/unit.ts";
import * as spend from "../expressions/spend.ts";
import { spent, totalSpent } from "../expressions/spend.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql, type Series } from "../promql.ts";
import { DAY } from "../thresholds.ts";

const SETTLING = "unknown, or not settled";

function total(id: number, title: string, window: string, series: Series): PlacedPanel {
  return stat({
    id,
    title,
    width: 4,
    shows: `Total credits that all keys have spent in ${window}.`,
    read: "The gateway's own figures, in UTC. The sum excludes keys without figures; the panel Keys not counted shows how many. There is no figure in the first minutes after midnight, because gateways lag.",
    act: "The panels below show who spends it.",
    empty: SETTLING,
    queries: [instant(totalSpent(series))],
    unit: unit.credits,
  });
}

export const today = (id: number) => total(id, "Spent today", "the current UTC day", families.usageDay);
export const week = (id: number) =>
  total(id, "Spent this week", "the current week, from Monday", families.usageWeek);
export const month = (id: number) =>
  total(id, "Spent this month", "the current UTC month", families.usageMonth);

/** Spend per day, stacked by key. */
export function perDay(id: number): PlacedPanel {
  return bars({
    id,
    title: "Spent per day",
    width: 16,
    shows:
      "Credits spent on each UTC day, by key: the nine top spenders of this month, and all others as one.",
    read: "Each bar is the last figure of its day; today's bar still grows. A day without a bar was not monitored.",
    act: "Click a name in the legend to show only that key.",
    historyDays: 30,
    empty: "No spend is known in this range",
    queries: [range(spend.spendPerDay.shown, "{{key}}"), range(spend.spendPerDay.others, "all other keys")],
    unit: unit.credits,
    interval: "1d",
    calcs: ["sum"],
  });
}

export function spenders(id: number): PlacedPanel {
  return ranking({
    id,
    title: "Top spenders this month",
    width: 8,
    shows: "The ten keys that spent most in the current UTC month.",
    read: "Largest first. The scale begins at 0.",
    act: "Ask the owners of the top keys whether the spending is intended.",
    empty: "No key is known to have spent anything this month",
    queries: [instant(spend.topKeys, "{{key}}")],
    unit: unit.credits,
  });
}

export function byTeam(id: number): PlacedPanel {
  return ranking({
    id,
    title: "This month by team",
    width: 8,
    shows: "Credits spent in the current UTC month by the keys of each team.",
    read: 'Teams are the owners in the exporter\'s configuration; keys without one are shown as "no team".',
    act: "Assign an owner to the keys without a team.",
    empty: "No spend is known this month",
    queries: [
      instant(
        promql`
          sort_desc(label_replace(
            sum by (team) (
              max by (job, gateway, key, team) (${ofJob(families.ownerInfo)})
              * on (job, gateway, key) group_left () ${spent(families.usageMonth)}
            ),
            "team", "no team", "team", ""
          ))`,
        "{{team}}",
      ),
    ],
    unit: unit.credits,
  });
}

export function againstLastMonth(id: number): PlacedPanel {
  return lines({
    id,
    title: "This month against last month",
    width: 16,
    shows:
      "Spend of this month so far, of last month up to the same day and hour, and of the whole last month.",
    read: "Above the dashed curve, this month costs more than last month did by then. Where the solid line reaches the dashed horizontal one, this month has cost as much as the whole last month.",
    act: "If this month is ahead, the graph Spent per day shows when that began, and Top spenders this month shows which keys caused it.",
    historyDays: 62,
    empty: "No figures of this month are known",
    queries: [
      range(spend.monthSoFar, "this month"),
      range(spend.samePointOfLastMonth, "last month, same day"),
      range(spend.lastMonth, "whole last month"),
    ],
    unit: unit.credits,
    interval: "1h",
    timeFrom: "now/M",
    bridgeMs: DAY * 1000,
    dashed: { "last month, same day": "blue", "whole last month": "orange" },
  });
}
