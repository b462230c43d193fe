import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { range } from "../board/query.ts";
import { bars, lines } from "../board/time-series.ts";
import { unit } from "../board/unit.ts";
import { DAY_OF_STEP } from "../expressions/spend.ts";
import { type KeySeries, lookedAt, ofJob } from "../expressions/scope.ts";
import { recorded } from "../rules/series.ts";

const chosen = { key: "$key" };
const ofKey = (series: KeySeries) => `max(${ofJob(series, chosen)})`;
const perHour = (series: KeySeries) => `${ofKey(series)} * 3600 > 0`;
const perDay = (series: KeySeries) => `max(${lookedAt(ofJob(series, chosen), DAY_OF_STEP)})`;

/** What the gateway's all-time figure was at the end of an hour. */
const usedAt = (offset?: string) =>
  `max(${lookedAt(ofJob(families.usage, chosen), { last: "1h", ...(offset === undefined ? {} : { offset }) })})`;

/** What is left, below the limit. */
export function remaining(id: number): PlacedPanel {
  return lines({
    id,
    title: "Credits left",
    width: 12,
    shows: "Credits that are left, and the limit.",
    read: "Falls as credits are spent, leaps up at a reset (blue mark). A step of the dashed line is a changed limit (purple mark). A gap was not known.",
    act: "If it comes to 0 before the reset, raise the limit or find what spends.",
    empty: "The key has no limit, or it is not known",
    queries: [range(ofKey(families.remaining), "left"), range(ofKey(families.limit), "limit")],
    unit: unit.credits,
    dashed: { limit: "orange" },
  });
}

export function lastsOverTime(id: number): PlacedPanel {
  return lines({
    id,
    title: "How long it lasts, and the time to the reset",
    width: 12,
    shows:
      "How long the credits last at the rates of the last hour and the last six hours, and how long it is to the reset.",
    read: "A solid line below the dashed one is trouble: out of credits before the reset. A gap: nothing is spent. The scale is logarithmic.",
    act: "If both lines are below the dashed one, act; if only the hour is, watch.",
    empty: "Nothing was spent, or the key has no limit",
    queries: [
      range(`${ofKey(recorded.exhaustion1h)} > 0`, "at the rate of 1 h"),
      range(`${ofKey(recorded.exhaustion6h)} > 0`, "at the rate of 6 h"),
      range(`${ofKey(recorded.resetSeconds)} > 0 < Inf`, "to the reset"),
    ],
    unit: unit.seconds,
    log: true,
    dashed: { "to the reset": "blue" },
  });
}

/** What the gateway's all-time figure grew by. */
export function spentPerHour(id: number): PlacedPanel {
  return bars({
    id,
    title: "Spent per hour",
    width: 12,
    shows: "Credits spent in each hour.",
    read: "The bars add up to what the key has used in all. A correction downwards counts as nothing.",
    act: "Compare an unusual hour with the releases and jobs of the key's owner.",
    empty: "The key was not watched in this range",
    queries: [range(`clamp_min(${usedAt("-1h")} - ${usedAt()}, 0)`, "credits")],
    unit: unit.credits,
    interval: "1h",
  });
}

/** Rates of the alerts. */
export function burn(id: number): PlacedPanel {
  return lines({
    id,
    title: "Burn per hour",
    width: 12,
    shows: "Credits an hour, over the last 15 minutes, hour, six hours and day.",
    read: "The short rate above the long ones: faster than usual. The scale is logarithmic; a gap is nothing spent.",
    act: "These are the rates that the alerts use.",
    empty: "Nothing was spent in this range",
    queries: [
      range(perHour(recorded.burn15m), "15 min"),
      range(perHour(recorded.burn1h), "1 h"),
      range(perHour(recorded.burn6h), "6 h"),
      range(perHour(recorded.burn1d), "1 day"),
    ],
    unit: unit.price,
    log: true,
  });
}

/** With the gateway's credits, and with own keys at providers. */
export function ownAndByok(id: number): PlacedPanel {
  return bars({
    id,
    title: "Spent per day, with credits and with own provider keys",
    width: 12,
    shows: "Credits used on each UTC day, and what was used with own keys at providers (BYOK), in credits.",
    read: "Whether the latter counts toward the limit stands below. Today's bars are what there is so far.",
    act: "Nothing, unless the split is not what was agreed.",
    empty: "The key was not watched in this range",
    queries: [
      range(perDay(families.usageDay), "credits"),
      range(perDay(families.byokUsageDay), "own provider keys"),
    ],
    unit: unit.credits,
    interval: "1d",
    calcs: ["sum"],
  });
}
