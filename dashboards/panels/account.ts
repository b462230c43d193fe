import type { AnnotationQuery } from "@grafana/grafana-foundation-sdk/dashboard";

import { accountFamilies as families } from "../../exporter/collectors/account-families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { annotation } from "../builder/annotations.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { range } from "../builder/query.ts";
import { type Figure, figure } from "../builder/stat.ts";
import { bars, lines } from "../builder/time-series.ts";
import { unit } from "../builder/unit.ts";
import { monthTotal, ofAccount, spendPerDay } from "../expressions/account-spend.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql } from "../promql.ts";
import { thresholds } from "../thresholds.ts";
import { NO_FULL_DAY } from "./analytics-state.ts";

const NOT_KNOWN = "not known";

const credits = (definition: Partial<Figure> & Omit<Figure, "width" | "unit" | "empty">) =>
  figure({ unit: unit.credits, empty: NOT_KNOWN, ...definition, width: 4 });

const WHEN_KNOWN =
  "Not known without a management key, if the gateway does not accept it as one or has no such figure, and while requests fail.";

export function balance(id: number): PlacedPanel {
  return credits({
    id,
    title: "Balance",
    expr: ofAccount(families.balance),
    steps: steps("red", [0.01, "text"]),
    shows: "Credits that the account has left: bought less used.",
    read: `At 0 or less the gateway refuses every call of the account (402), whatever the limits of the keys. ${WHEN_KNOWN}`,
    act: "Buy credits before the time in the panel Lasts has passed.",
  });
}

const lasting = ofJob(forecastFamilies.accountOutlook, { aigateway_account_outlook: "lasts" });

export function lasts(id: number): PlacedPanel {
  return credits({
    id,
    title: "Lasts",
    expr: promql`clamp_min(min(${ofJob(forecastFamilies.accountExhaustion)}) - time(), 0) or (max(${lasting}) == 1) * 0 - 1`,
    unit: unit.duration,
    texts: { "-1": { text: "> 1 week", color: "text" } },
    shows: "How long the balance lasts by the exporter's forecast, if that is at most a week.",
    read: "The alerts use the same forecast.",
    act: "Below a week, buy credits. The table below shows which keys spend most.",
  });
}

export function used(id: number): PlacedPanel {
  return credits({
    id,
    title: "Used in all",
    expr: ofAccount(families.used),
    shows: "Credits that the account has used since it exists.",
    read: WHEN_KNOWN,
    act: "The panel Spent this month shows how much of it is recent.",
  });
}

export function bought(id: number): PlacedPanel {
  return credits({
    id,
    title: "Bought in all",
    expr: ofAccount(families.bought),
    shows: "Credits that the account has bought since it exists, less refunds, transfers and expiries.",
    read: `It falls when credits are refunded, transferred or expire. ${WHEN_KNOWN}`,
    act: "If it fell unexpectedly, ask who moved credits; unused credits may expire.",
  });
}

export function month(id: number): PlacedPanel {
  return credits({
    id,
    title: "Spent this month",
    expr: monthTotal,
    empty: "no figures",
    shows:
      "Credits that the whole account has spent in the current UTC month, by watched keys and all others.",
    read: "The gateway's total. It has no figure in the first minutes of a month, because gateways lag.",
    act: "Compare it with the balance: does it last for another month?",
  });
}

export function age(id: number): PlacedPanel {
  return credits({
    id,
    title: "Data age",
    expr: `time() - min(max by (job, gateway) (${ofJob(families.lastSuccess)}))`,
    unit: unit.seconds,
    steps: steps("green", [thresholds.analyticsStale, "orange"], [thresholds.completeWindowStale, "red"]),
    empty: "no answer",
    shows: "Age of the last good answer about the balance.",
    read: "About five minutes is good (schedule.analytics).",
    act: "Above an hour, see Exporter health: the gateway refuses the request or fails.",
  });
}

/** The course of the balance. */
export function balanceOverTime(id: number): PlacedPanel {
  return lines({
    id,
    title: "Balance",
    width: 12,
    shows: "Credits that the account has left.",
    read: "The line falls as credits are spent and jumps up with a purchase. A purple mark is a change of what was bought: up with a purchase; down with a refund, a transfer or an expiry. A gap means not known.",
    act: "If it fell at a purple mark, credits moved without spend: ask who transferred them, or whether they expired.",
    historyDays: 30,
    empty:
      "The balance was not known in this range: either no management key is configured (analytics in the exporter's configuration), or the gateway has not answered yet, refuses or fails",
    queries: [range(ofAccount(families.balance), "balance")],
    unit: unit.credits,
    interval: "15m",
  });
}

/** Marks purchases, and credits that were refunded, transferred or have expired. */
export function boughtMarks(): AnnotationQuery {
  return annotation({
    name: "Bought credits",
    color: "purple",
    expr: promql`max by (job, gateway) (changes(${ofJob(families.bought)}[5m])) > 0`,
    title: "Bought credits changed",
    text: "",
  });
}

/** The whole account's spend per full day, divided by whether anybody watches it. */
export function spentPerDay(id: number): PlacedPanel {
  return bars({
    id,
    title: "Spent per day",
    width: 12,
    shows: "Credits that the account spent on each full UTC day, by keys that are watched and by all others.",
    read: "Each bar is the gateway's figure two hours after the end of its day, so today has none. Watched keys are configured or listed. A bar is not divided if the unwatched spend of its day is not known.",
    act: "If keys that nobody watches spend, see the tables below.",
    historyDays: 30,
    empty: NO_FULL_DAY,
    queries: [
      range(spendPerDay.watched, "watched keys"),
      range(spendPerDay.unwatched, "keys that nobody watches"),
      range(spendPerDay.undivided, "not divided"),
    ],
    unit: unit.credits,
    interval: "1d",
    calcs: ["sum"],
  });
}
