import type { Query } from "../../exporter/collectors/analytics-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { instant, range } from "../builder/query.ts";
import { ranking } from "../builder/ranking.ts";
import { stat } from "../builder/stat.ts";
import { steps } from "../builder/color.ts";
import { labelColumn, table, valueColumn } from "../builder/table.ts";
import { bars, lines } from "../builder/time-series.ts";
import { unit } from "../builder/unit.ts";
import { ofJob } from "../expressions/scope.ts";
import { type Subject, usageBy } from "../expressions/usage.ts";
import { promql } from "../promql.ts";
import { NO_ANALYTICS, NO_FULL_DAY } from "./analytics-state.ts";

const WINDOWS: Readonly<Record<Query, { readonly title: string; readonly words: string }>> = {
  day: { title: "Today", words: "in the current UTC day" },
  last_day: { title: "Yesterday", words: "in the last full UTC day" },
  month: { title: "This month", words: "in the current UTC month" },
  last_month: { title: "Last month", words: "in the last full UTC month, which finance books" },
};

const NO_FIGURES = "no figures";

/** Total spend in a window. */
export function total(id: number, subject: Subject, query: Query): PlacedPanel {
  const of = usageBy(subject);
  const { title, words } = WINDOWS[query];
  return stat({
    id,
    title: `${title}, credits`,
    width: 4,
    shows: `Credits spent ${words}, by all ${subject}s together.`,
    read: "The gateway's total for the account, or for the models and apps selected above. It includes _other.",
    act: `The table shows the spend of each ${subject}.`,
    empty: NO_FIGURES,
    queries: [instant(of.total(query, "credits"))],
    unit: unit.credits,
  });
}

/** Total spend in a window, in the configured currency. */
export function worth(id: number, subject: Subject, query: Query): PlacedPanel {
  const of = usageBy(subject);
  const { title, words } = WINDOWS[query];
  return stat({
    id,
    title: `${title}, in money`,
    width: 4,
    shows: `Value of the credits spent ${words}, in the currency of the exporter's configuration.`,
    read: "Credits times credit_value. An estimate: the gateway's invoice is authoritative.",
    act: "If there is no figure, set credit_value in the exporter's configuration.",
    empty: "no figures, or no credit_value",
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

/** Spend per full day, stacked by model or app. */
export function perDay(id: number, subject: Subject): PlacedPanel {
  const of = usageBy(subject);
  return bars({
    id,
    title: "Spent per day",
    width: 16,
    shows: `Credits spent on each full UTC day: the nine most expensive ${subject}s of this month, and all others as one.`,
    read: "Each bar is the gateway's figure two hours after the end of its day, when late rows have arrived. Yesterday's bar therefore appears at 02:00 UTC, and today has none.",
    act: `Click a name in the legend to show only that ${subject}.`,
    historyDays: 30,
    empty: NO_FULL_DAY,
    queries: [range(of.perDay.shown, `{{${subject}}}`), range(of.perDay.others, `all other ${subject}s`)],
    unit: unit.credits,
    interval: "1d",
    calcs: ["sum"],
  });
}

/** The most expensive models or apps of this month. */
export function top(id: number, subject: Subject): PlacedPanel {
  const of = usageBy(subject);
  return ranking({
    id,
    title: `Top ${subject}s this month`,
    width: 8,
    shows: `The ten most expensive ${subject}s of the current UTC month.`,
    read: "Largest first. _other is the sum of the pairs beyond analytics.top.",
    act: "The table shows what one request costs.",
    empty: NO_ANALYTICS,
    queries: [instant(`topk(10, ${of.amount("month", "credits")} > 0)`, `{{${subject}}}`)],
    unit: unit.credits,
  });
}

/** Cost and use of each model or app. */
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
    shows: `What each ${subject} cost ${words}, with its requests and tokens.`,
    read:
      query === "month"
        ? "Most expensive first; with _other the rows add up to the gateway's total. Change per day compares credits per day with the last full month."
        : "Most expensive first; with _other the rows add up to the gateway's total. Late rows may still change the figures in the first days of a month.",
    act: "Compare the prices per million tokens, and switch to a cheaper model where it is good enough.",
    empty: NO_ANALYTICS,
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
      valueColumn("Per request", of.pricePerRequest(query), unit.perRequest),
      valueColumn("Per million tokens", of.pricePerMillionTokens(query), unit.perMillion, {
        width: 190,
      }),
      ...change,
    ],
    sortBy: [{ title: "Credits", desc: true }],
  });
}

/** Today's tokens by kind. */
export function tokens(id: number, subject: Subject): PlacedPanel {
  const of = usageBy(subject);
  return lines({
    id,
    title: "Tokens today",
    width: 12,
    shows: "Prompt, completion and reasoning tokens of the current UTC day, accumulated.",
    read: "The lines restart at 0 at midnight UTC. Reasoning tokens are part of the completion tokens.",
    act: "If there are many prompt tokens for each completion token, look for contexts that could be shortened or cached.",
    empty: NO_ANALYTICS,
    queries: [
      range(of.total("day", "promptTokens"), "prompt"),
      range(of.total("day", "completionTokens"), "completion"),
      range(of.total("day", "reasoningTokens"), "reasoning"),
    ],
    unit: unit.amount,
    timeFrom: "3d",
  });
}

/** Today's requests to free variants and to all other models. */
export function freeAndPaid(id: number, subject: Subject): PlacedPanel {
  const of = usageBy(subject);
  return lines({
    id,
    title: "Requests today",
    width: 12,
    shows: "Requests of the current UTC day to free model variants and to all other models, accumulated.",
    read: "The lines restart at 0 at midnight UTC. The name of a free variant ends in :free or (free).",
    act: "Free variants have a daily quota; the Key dashboard shows what is left of it.",
    empty: NO_ANALYTICS,
    queries: [
      range(of.requests("~.*(:free|\\\\(free\\\\))"), "free"),
      range(of.requests("!~.*(:free|\\\\(free\\\\))"), "paid"),
    ],
    unit: unit.count,
    timeFrom: "3d",
  });
}
