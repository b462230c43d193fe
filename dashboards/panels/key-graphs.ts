import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { range } from "../builder/query.ts";
import { bars, lines } from "../builder/time-series.ts";
import { unit } from "../builder/unit.ts";
import { DAY_OF_STEP } from "../expressions/spend.ts";
import { type KeySeries, lookedAt, ofJob } from "../expressions/scope.ts";
import { promql } from "../promql.ts";

const chosen = { key: "$key" };
const ofKey = (series: KeySeries) => `max(${ofJob(series, chosen)})`;
const burnOver = (window: string) => `max(${ofJob(forecastFamilies.keyBurn, { ...chosen, window })})`;
const perDay = (series: KeySeries) => `max(${lookedAt(ofJob(series, chosen), DAY_OF_STEP)})`;

/** The gateway's all-time figure at the end of each hour. */
const usedAt = (offset?: string) =>
  `max(${lookedAt(ofJob(families.usage, chosen), { last: "1h", ...(offset === undefined ? {} : { offset }) })})`;

/** The first figure of an hour whose beginning was not watched. */
const usedFrom = promql`max(min_over_time(${ofJob(families.usage, chosen)}[1h] offset -1h))`;

/** The last time at which the secret was replaced until the end of the hour. */
const replacedWithin = `max(${lookedAt(ofJob(families.secretReplaced, chosen), { last: "1h", offset: "-1h" })})`;

/** A line of the key, which breaks for ten minutes when its secret is replaced: then it is about another key. */
const unbroken = (series: KeySeries) =>
  promql`${ofKey(series)} unless (time() - ${ofKey(families.secretReplaced)} < 600)`;

/** The remaining credits and the limit. */
export function remaining(id: number): PlacedPanel {
  return lines({
    id,
    title: "Credits left",
    width: 12,
    shows: "The remaining credits and the limit.",
    read: "The line falls as credits are spent and jumps up at a reset (blue mark). A step in the dashed line is a changed limit (purple mark). A gap means unknown, or that the secret was replaced.",
    act: "If the line heads for 0 before the reset, raise the limit or find out what is spending.",
    empty: "The key had no limit in this range, or its limit was unknown",
    queries: [range(unbroken(families.remaining), "left"), range(unbroken(families.limit), "limit")],
    unit: unit.credits,
    dashed: { limit: "orange" },
  });
}

const hoursUntil = (instant: string) => promql`(${instant} - time() > 0) / 3600`;

/** The forecast, against the reset. */
export function lastsOverTime(id: number): PlacedPanel {
  return lines({
    id,
    title: "Time to exhaustion and time to the reset",
    width: 12,
    shows: "How long the credits last by the exporter's forecast, and the time to the reset.",
    read: "The solid line exists only while the credits are expected to run out before the reset. The scale is logarithmic.",
    act: "Where the solid line begins, the graph Burn per hour shows what changed.",
    empty: "The credits lasted throughout this range, or the key has no limit or an unknown one",
    queries: [
      range(hoursUntil(`min(${ofJob(forecastFamilies.keyExhaustion, chosen)})`), "to exhaustion"),
      range(hoursUntil(ofKey(families.nextReset)), "to the reset"),
    ],
    unit: unit.hours,
    log: true,
    dashed: { "to the reset": "blue" },
  });
}

/** The hourly growth of the gateway's all-time figure. */
export function spentPerHour(id: number): PlacedPanel {
  return bars({
    id,
    title: "Spent per hour",
    width: 12,
    shows: "Credits spent in each hour.",
    read: "The bars add up to what was spent while the key was watched. A downward correction counts as zero. An hour in which the secret was replaced has no bar.",
    act: "Compare an unusual hour with the owner's releases and scheduled jobs.",
    empty: "No usage of the key is known in this range",
    queries: [
      range(
        promql`clamp_min(${usedAt("-1h")} - (${usedAt()} or ${usedFrom}), 0) unless ${replacedWithin} > time()`,
        "credits",
      ),
    ],
    unit: unit.credits,
    interval: "1h",
  });
}

/** The burn rates of the exporter's forecast. */
export function burn(id: number): PlacedPanel {
  return lines({
    id,
    title: "Burn per hour",
    width: 12,
    shows: "Credits per hour, averaged over the last hour and day.",
    read: "A rate of the hour above that of the day means faster spending than usual.",
    act: "The forecast uses these rates: if an alert fires, look here for when the spending changed.",
    empty: "No rate is known in this range; the first one needs ten minutes of history",
    queries: [range(burnOver("1h"), "1 h"), range(burnOver("1d"), "1 day")],
    unit: unit.credits,
  });
}

/** Spend in the gateway's credits and through the owner's own provider keys. */
export function ownAndByok(id: number): PlacedPanel {
  return bars({
    id,
    title: "Spent per day, with credits and with own provider keys",
    width: 12,
    shows: "Credits used on each UTC day, and usage through your own provider keys (BYOK), in credits.",
    read: "The table About this key shows whether BYOK usage counts toward the limit. Today's bars grow until midnight UTC.",
    act: "Ask the owner if the split differs from what was agreed.",
    empty: "No daily usage of the key is known in this range",
    queries: [
      range(perDay(families.usageDay), "credits"),
      range(perDay(families.byokUsageDay), "own provider keys"),
    ],
    unit: unit.credits,
    interval: "1d",
    calcs: ["sum"],
  });
}
