import type { Query } from "../../exporter/collectors/analytics-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { instant, range } from "../board/query.ts";
import { ranking } from "../board/ranking.ts";
import { stat } from "../board/stat.ts";
import { steps } from "../board/color.ts";
import { labelColumn, table, valueColumn } from "../board/table.ts";
import { bars, lines } from "../board/time-series.ts";
import { unit } from "../board/unit.ts";
import { ofJob } from "../expressions/scope.ts";
import { type Subject, usageBy } from "../expressions/usage.ts";
import { promql } from "../promql.ts";

const WINDOWS: Readonly<Record<Query, { readonly title: string; readonly words: string }>> = {
  day: { title: "Today", words: "in the current UTC day" },
  last_day: { title: "Yesterday", words: "in the last full UTC day" },
  month: { title: "This month", words: "in the current UTC month" },
  last_month: { title: "Last month", words: "in the last full UTC month, which finance books" },
};

const NO_FIGURES = "no figures";
const EMPTY =
  "No figures of the analytics: they need a management key (analytics in the exporter's configuration)";

/** In a window, in all. */
export function total(id: number, subject: Subject, query: Query): PlacedPanel {
  const of = usageBy(subject);
  const { title, words } = WINDOWS[query];
  return stat({
    id,
    title: `${title}, credits`,
    width: 4,
    shows: `Credits spent ${words}, by all ${subject}s together.`,
    read: "The gateway's total for the account, or of what is chosen above. It includes _other.",
    act: `See in the table which ${subject}s it is.`,
    empty: NO_FIGURES,
    queries: [instant(of.total(query, "credits"))],
    unit: unit.credits,
  });
}

/** The same in the configured currency. */
export function worth(id: number, subject: Subject, query: Query): PlacedPanel {
  const of = usageBy(subject);
  const { title, words } = WINDOWS[query];
  return stat({
    id,
    title: `${title}, in money`,
    width: 4,
    shows: `What was spent ${words} is worth, in the currency of the exporter's configuration.`,
    read: "Credits times credit_value. The gateway's bill counts, not this figure.",
    act: "Set credit_value if there is no figure.",
    empty: "no credit_value",
    named: true,
    queries: [
      instant(
        promql`max by (currency) (${ofJob(selfFamilies.creditValue)}) * on () group_left () ${of.total(query, "credits")}`,
        "{{currency}}",
      ),
    ],
    unit: unit.money,
  });
}

/** Stacked by model or app, complete days only. */
export function perDay(id: number, subject: Subject): PlacedPanel {
  const of = usageBy(subject);
  return bars({
    id,
    title: "Spent per day",
    width: 16,
    shows: `Credits spent on each full UTC day: the nine ${subject}s that are dearest this month, and all others together.`,
    read: "Each bar is the gateway's figure of two hours after its day, when late rows have come; so yesterday's appears at 02:00 UTC and today has none.",
    act: `Click a name in the legend to see it alone.`,
    historyDays: 30,
    empty: EMPTY,
    queries: [range(of.perDay.shown, `{{${subject}}}`), range(of.perDay.others, `all other ${subject}s`)],
    unit: unit.credits,
    interval: "1d",
    calcs: ["sum"],
  });
}

/** The dearest of this month. */
export function top(id: number, subject: Subject): PlacedPanel {
  const of = usageBy(subject);
  return ranking({
    id,
    title: `Top ${subject}s this month`,
    width: 8,
    shows: `The ten ${subject}s that cost most in the current UTC month.`,
    read: "Longest first. _other is all that has no series of its own (analytics.top).",
    act: "See in the table what a request of them costs.",
    empty: EMPTY,
    queries: [instant(`topk(10, ${of.amount("month", "credits")} > 0)`, `{{${subject}}}`)],
    unit: unit.credits,
  });
}

/** What each one cost, and what for. */
export function details(id: number, subject: Subject, query: Query): PlacedPanel {
  const of = usageBy(subject);
  const { title, words } = WINDOWS[query];
  const change =
    query === "month"
      ? [
          valueColumn("Change per day", of.change, unit.ratio, {
            cell: "text",
            steps: steps("green", [0, "text"], [0.25, "orange"]),
          }),
        ]
      : [];
  return table({
    id,
    title: `${title} by ${subject}`,
    width: 24,
    shows: `What each ${subject} has cost ${words}, and what for.`,
    read:
      query === "month"
        ? "Dearest first; _other makes it add up. Change per day compares credits a day with those of the last full month."
        : "Dearest first; _other makes it add up to the gateway's total. Late rows may still change it on the first days of a month.",
    act: "Compare the price of a million tokens: where a cheaper model would do, change it.",
    empty: EMPTY,
    columns: [
      labelColumn(subject, subject === "model" ? "Model" : "App", { width: 300 }),
      valueColumn("Credits", of.amount(query, "credits"), unit.credits),
      valueColumn("Share", of.share(query), unit.ratio, {
        width: 200,
        cell: "gauge",
        steps: steps("blue"),
      }),
      valueColumn("Requests", of.amount(query, "requests"), unit.count),
      valueColumn("Tokens", of.amount(query, "tokens"), unit.amount),
      valueColumn("Per request", of.pricePerRequest(query), unit.price),
      valueColumn("Per million tokens", of.pricePerMillionTokens(query), unit.price, {
        width: 190,
      }),
      ...change,
    ],
    sortBy: [{ title: "Credits", desc: true }],
  });
}

/** Of what kind they are. */
export function tokens(id: number, subject: Subject): PlacedPanel {
  const of = usageBy(subject);
  return lines({
    id,
    title: "Tokens today",
    width: 12,
    shows: "Prompt, completion and reasoning tokens of the current UTC day, as they add up.",
    read: "Begins at 0 every midnight. Reasoning tokens are part of the completion tokens.",
    act: "Many prompt tokens for each completion token: look for contexts that could be shorter or cached.",
    empty: EMPTY,
    queries: [
      range(of.total("day", "promptTokens"), "prompt"),
      range(of.total("day", "completionTokens"), "completion"),
      range(of.total("day", "reasoningTokens"), "reasoning"),
    ],
    unit: unit.amount,
    timeFrom: "3d",
  });
}

/** Requests to free variants and to others. */
export function freeAndPaid(id: number, subject: Subject): PlacedPanel {
  const of = usageBy(subject);
  return lines({
    id,
    title: "Requests today",
    width: 12,
    shows: "Requests of the current UTC day, to free variants of models and to all others, as they add up.",
    read: "Begins at 0 every midnight. Free variants are those whose name ends in :free or (free).",
    act: "Free variants have a quota a day: what is left of it stands on the dashboard of the key.",
    empty: EMPTY,
    queries: [
      range(of.requests("~.*(:free|\\\\(free\\\\))"), "free"),
      range(of.requests("!~.*(:free|\\\\(free\\\\))"), "paid"),
    ],
    unit: unit.count,
    timeFrom: "3d",
  });
}
