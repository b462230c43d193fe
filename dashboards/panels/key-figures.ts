import { keyFamilies as families, layerFamilies } from "../../exporter/collectors/key-families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { type Figure, figure } from "../builder/stat.ts";
import { labelColumn, table, valueColumn, valueTexts } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { type KeySeries, ofJob, perKey } from "../expressions/scope.ts";
import { lastsOf, lastsTexts, verdictCells, verdictOf } from "../expressions/verdict.ts";
import { promql } from "../promql.ts";
import { thresholds } from "../thresholds.ts";
import { limitTexts, usedSteps } from "./runway.ts";

const chosen = { key: "$key" };

/** The chosen key's single value, whichever process reports it. */
function ofKey(series: KeySeries): string {
  return `max(${ofJob(series, chosen)})`;
}

/** What a key without a limit of its own can still spend of its budgets. */
const ofBudgets = `max(${ofJob(layerFamilies.spendable, { ...chosen, bounded_by: "!~account" })})`;

const ofChosen = (definition: Omit<Figure, "width">) => figure({ ...definition, width: 4 });

export function verdictOfKey(id: number): PlacedPanel {
  return ofChosen({
    id,
    title: "Verdict",
    expr: `max(${verdictOf(chosen)})`,
    unit: unit.none,
    empty: "no figures",
    texts: verdictCells,
    steps: steps("transparent"),
    background: true,
    shows: "Whether the credits last until the limit's reset.",
    read: "The exporter's forecast, which the alerts use too; each verdict that ends in out means: before the reset. Lasts: until the reset, or for more than a week if the limit never resets. Learning: the exporter does not know yet how fast the key spends.",
    act: "Raise the limit, slow the caller down, or wait for the reset.",
  });
}

export function used(id: number): PlacedPanel {
  return ofChosen({
    id,
    title: "Used of the limit",
    expr: promql`1 - ${ofKey(families.remaining)} / (${ofKey(families.limit)} > 0)`,
    unit: unit.ratio,
    empty: "no limit, or unknown",
    steps: usedSteps,
    shows: "Share of the limit that is used in the current window.",
    read: "Orange at the threshold of the alert AIGatewayKeyLimitLow, red when the key is exhausted. The last call may push it slightly above 100 %.",
    act: "Compare the panels Lasts and Reset in to see whether the remaining credits last.",
  });
}

export function left(id: number): PlacedPanel {
  return ofChosen({
    id,
    title: "Credits left",
    expr: `round(${ofKey(families.remaining)} or ${ofBudgets}, 0.01)`,
    unit: unit.credits,
    empty: "no limit, or unknown",
    shows: "Credits left of the limit in the current window, or of the budgets that bind a key without one.",
    read: "0 or less: calls are refused (402).",
    act: "Raise the limit, or wait for the reset.",
  });
}

export function lasts(id: number): PlacedPanel {
  return ofChosen({
    id,
    title: "Lasts",
    expr: `max(${lastsOf(chosen)})`,
    unit: unit.duration,
    empty: "not known",
    texts: lastsTexts,
    shows: "How long the remaining credits last, if they run out before the reset.",
    read: "The instant that the exporter forecasts, less the present time. The verdict comes from the same forecast.",
    act: "If it shows a time, find out what is spending.",
  });
}

export function untilReset(id: number): PlacedPanel {
  const never = ofJob(families.limitReset, { ...chosen, aigateway_key_limit_reset: "never" });
  return ofChosen({
    id,
    title: "Reset in",
    expr: promql`${ofKey(families.nextReset)} - time() or (max(${never}) == 1 and ${ofKey(families.limit)}) * Inf`,
    unit: unit.duration,
    empty: "no limit, or unknown",
    texts: { Infinity: { text: "never" } },
    shows: "Time until the limit resets.",
    read: "Limits reset at 00:00 UTC: every day, on Mondays, or on the first of the month.",
    act: "If the limit never resets, plan to raise it.",
  });
}

export function age(id: number): PlacedPanel {
  return ofChosen({
    id,
    title: "Data age",
    expr: `time() - ${ofKey(families.lastSuccess)}`,
    unit: unit.seconds,
    empty: "no answer yet",
    steps: steps("green", [thresholds.keyStale, "orange"], [thresholds.analyticsStale, "red"]),
    shows: "Age of the last good answer for the key.",
    read: "About one poll interval is good.",
    act: "Above 15 minutes, see Exporter health.",
  });
}

export function limit(id: number): PlacedPanel {
  return ofChosen({
    id,
    title: "Limit",
    expr: promql`${ofKey(families.limit)} or (${ofKey(families.unlimited)} == 1) * Inf or ${ofBudgets} * 0 - 1`,
    unit: unit.credits,
    empty: "unknown",
    texts: limitTexts,
    shows: "Credits that the key may spend in each window of its limit.",
    read: "The gateway reports unlimited and 0; unknown means that it reported nothing.",
    act: "Change the limit at the gateway.",
  });
}

function window(
  id: number,
  title: string,
  series: KeySeries,
  words: string,
  empty = "unknown, or not settled",
): PlacedPanel {
  return ofChosen({
    id,
    title,
    expr: ofKey(series),
    unit: unit.credits,
    empty,
    shows: `Credits that the key has used ${words}, without usage through your own provider keys.`,
    read: "The gateway's own figure. It is absent from the end of a window until the new figure has settled.",
    act: "The graphs below show when it was spent.",
  });
}

export const today = (id: number) => window(id, "Spent today", families.usageDay, "in the current UTC day");
export const week = (id: number) =>
  window(id, "Spent this week", families.usageWeek, "in the current week, from Monday");
export const month = (id: number) =>
  window(id, "Spent this month", families.usageMonth, "in the current UTC month");
export const allTime = (id: number) =>
  window(id, "Spent in total", families.usage, "since it was created", "unknown");

export function freeRequests(id: number): PlacedPanel {
  return ofChosen({
    id,
    title: "Free requests left today",
    expr: ofKey(families.freeRequestsRemaining),
    unit: unit.count,
    empty: "not reported",
    shows: "Requests to free models left in the current UTC day.",
    read: "At 0, free models answer 429 until midnight UTC. Not every gateway reports this.",
    act: "Use a paid model, or wait.",
  });
}

/** The key's owner and expiry. */
export function about(id: number): PlacedPanel {
  return table({
    id,
    title: "About this key",
    width: 24,
    shows: "Owner and expiry of the key.",
    read: "The owner comes from the exporter's configuration, the rest from the gateway.",
    act: "Replace a key before it expires.",
    empty: "The key is not monitored, or Prometheus does not scrape the exporter",
    columns: [
      labelColumn("key", "Key"),
      labelColumn("team", "Team"),
      labelColumn("project", "Project"),
      labelColumn("cost_center", "Cost centre"),
      valueColumn(
        "Info",
        `max by (job, gateway, key, team, project, cost_center) (${ofJob(families.ownerInfo, chosen)})`,
        unit.none,
        { hidden: true },
      ),
      valueColumn("Own provider keys", perKey(ofJob(families.byokInLimit, chosen)), unit.none, {
        mappings: [valueTexts({ 1: { text: "count toward the limit" }, 0: { text: "do not count" } })],
      }),
      valueColumn("Expires", `1000 * ${perKey(ofJob(families.expiry, chosen))}`, unit.date),
    ],
    hidden: ["job", "gateway"],
    sortBy: [],
  });
}
