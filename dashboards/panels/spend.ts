import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { instant, range } from "../board/query.ts";
import { ranking } from "../board/ranking.ts";
import { stat } from "../board/stat.ts";
import { bars, lines } from "../board/time-series.ts";
import { unit } from "../board/unit.ts";
import * as spend from "../expressions/spend.ts";
import { spent, totalSpent } from "../expressions/spend.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql, type Series } from "../promql.ts";
import { recorded } from "../rules/series.ts";

const SETTLING = "not settled yet";

function total(id: number, title: string, window: string, series: Series): PlacedPanel {
  return stat({
    id,
    title,
    width: 4,
    shows: `Credits that all keys together have spent in ${window}.`,
    read: "The gateway's own figures, in UTC. Keys without figures are missing in the sum; how many they are stands in this row, too. In the first minutes after midnight there is no figure, since gateways lag.",
    act: "Look below who spends it.",
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

export function forecast(id: number): PlacedPanel {
  return stat({
    id,
    title: "Month's forecast",
    width: 3,
    shows: "What the month comes to if it goes on at its mean pace so far.",
    read: "A straight line: it knows nothing of weekends. Withheld in the first tenth of the month, when a morning would be taken for a month.",
    act: "Compare with the budgets below.",
    empty: "from the 4th on",
    queries: [instant(spend.forecastOfMonth)],
    unit: unit.credits,
  });
}

/** Stacked by key. */
export function perDay(id: number): PlacedPanel {
  return bars({
    id,
    title: "Spent per day",
    width: 16,
    shows:
      "Credits spent on each UTC day, by key: the nine that spend most this month, and all others together.",
    read: "Each bar is the last figure of its day, today's is what there is so far. A day without a bar was not watched.",
    act: "Click a name in the legend to see that key alone.",
    historyDays: 30,
    empty: "No key has spent anything in this range",
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
    shows: "The ten keys that have spent most in the current UTC month.",
    read: "Longest first. The scale begins at 0.",
    act: "Ask the owners of the first ones whether it is meant.",
    empty: "No key has spent anything this month",
    queries: [instant(spend.topKeys, "{{key}}")],
    unit: unit.credits,
  });
}

export function byTeam(id: number): PlacedPanel {
  return ranking({
    id,
    title: "This month by team",
    width: 6,
    shows: "Credits spent in the current UTC month by the keys of each team.",
    read: 'Teams are the owners in the exporter\'s configuration; keys that have none are "no team".',
    act: "Give keys an owner that are nobody's.",
    empty: "No key has spent anything this month",
    queries: [
      instant(
        promql`
          sort_desc(label_replace(
            sum by (team) (${spent(families.usageMonth)} * on (job, key) group_left (team) ${ofJob(recorded.keyOwner)}),
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
    title: "This month against the last one",
    width: 8,
    shows:
      "What this month has come to so far, last month at the same day and hour, and all that last month came to.",
    read: "Above the dashed curve: dearer than last month. Where the solid line reaches the dotted height, this month has cost as much as the whole last one.",
    act: "When it runs away, look in Spent per day since when, and in Top spenders through whom.",
    historyDays: 62,
    empty: "Begins with the month's first figures",
    queries: [
      range(spend.monthSoFar, "this month"),
      range(spend.samePointOfLastMonth, "last month, same day"),
      range(spend.lastMonth, "last month in all"),
    ],
    unit: unit.credits,
    interval: "1h",
    timeFrom: "now/M",
    bridgeMs: 86_400_000,
    dashed: { "last month, same day": "blue", "last month in all": "orange" },
  });
}
