import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { labelColumn, table, valueColumn } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { byKeyName, ofChosenKey, pairs, pairSeries, watchedAs } from "../expressions/account-keys.ts";
import { promql } from "../promql.ts";
import { uids } from "../uids.ts";
import { keyLink } from "./alerts.ts";

const { credits, requests } = pairSeries;
const EMPTY =
  "No figures by key: either no management key or no query keys-month is configured (analytics in the exporter's configuration), or the gateway has not answered yet or fails";

/** A link that selects the name of a key on this dashboard, so that its models are shown. */
const modelsLink = {
  title: "Models of ${__value.raw}",
  url: `/d/${uids.account}?var-api_key=\${__value.raw}&\${datasource:queryparam}&\${job:queryparam}&\${gateway:queryparam}&\${__url_time_range}`,
};

const total = `sum(${pairs(credits, "month")})`;
const named = { api_key: "~$api_key" };

/** The keys of the account by spend, those that nobody watches included. */
export function keysBySpend(id: number): PlacedPanel {
  const spent = byKeyName(credits, "month");
  return table({
    id,
    title: "Keys by spend this month",
    width: 24,
    shows:
      "What each key of the account has spent in the current UTC month, whether anybody watches it or not.",
    read: "Most expensive first. Name is what the gateway calls the key; several keys may have the same name. Watched as is the label key of the metrics of the listed key; it is empty if no listed key has the name, or several have it. The row _other makes the sum of the rows equal to the total: it holds the pairs of key and model beyond the query's top. Chatroom is use without a key. Credits today is empty for a key that has none among today's top pairs.",
    act: "Click a name to see its models below, and a key to see its limit and its course.",
    empty: EMPTY,
    columns: [
      labelColumn("api_key", "Name", { width: 300, link: modelsLink }),
      labelColumn("key", "Watched as", { width: 300, link: keyLink }),
      valueColumn("Key", watchedAs, unit.none, { hidden: true }),
      valueColumn("Credits", spent, unit.credits),
      valueColumn("Share", promql`${spent} / on () group_left () (${total} > 0)`, unit.ratio, {
        width: 220,
        cell: "gauge",
        steps: steps("blue"),
      }),
      valueColumn("Credits today", byKeyName(credits, "day"), unit.credits),
      valueColumn("Requests", byKeyName(requests, "month"), unit.count),
      valueColumn("Models", `count by (api_key) (${pairs(credits, "month")})`, unit.count),
    ],
    sortBy: [{ title: "Credits", desc: true }],
  });
}

/** Spend by pair of key and model. */
export function keysAndModels(id: number): PlacedPanel {
  const of = (series: typeof credits) => `sum by (api_key, model) (${pairs(series, "month", named)})`;
  return table({
    id,
    title: "This month by key and model",
    width: 24,
    shows: "Which key uses which model, and what that costs in the current UTC month.",
    read: "Most expensive first. The variable Key name limits the rows to some keys. _other is the sum of the pairs beyond the query's top; it cannot be divided by key.",
    act: "Where a key uses an expensive model for short answers, ask its owner whether a cheaper one would do.",
    empty: EMPTY,
    columns: [
      labelColumn("api_key", "Name", { width: 300 }),
      labelColumn("model", "Model", { width: 300 }),
      valueColumn("Credits", of(credits), unit.credits),
      valueColumn("Share", promql`${of(credits)} / on () group_left () (${total} > 0)`, unit.ratio, {
        width: 220,
        cell: "gauge",
        steps: steps("blue"),
      }),
      valueColumn("Requests", of(requests), unit.count),
      valueColumn("Per request", promql`(${of(credits)} >= 0) / (${of(requests)} > 0)`, unit.perRequest),
    ],
    sortBy: [{ title: "Credits", desc: true }],
  });
}

/** The models of the chosen key, for its own dashboard. */
export function modelsOfKey(id: number): PlacedPanel {
  const of = (series: typeof credits, window: "day" | "month") =>
    `sum by (model) ${ofChosenKey(pairs(series, window))}`;
  const spent = of(credits, "month");
  return table({
    id,
    title: "Models this month",
    width: 24,
    shows: "Which models the key uses, and what they cost in the current UTC month.",
    read: "Most expensive first. The share is that of the key's models shown here. Pairs of key and model beyond the top of the query keys-month are missing, so the sum may be less than Spent this month.",
    act: "Where an expensive model gives short answers, ask the owner whether a cheaper one would do.",
    empty:
      "No figures for this key: it has spent nothing this month, the gateway has not answered yet, or something is missing that this needs: a management key, the list of keys (discovery), and a name at the gateway that only this key has",
    columns: [
      labelColumn("model", "Model", { width: 300 }),
      valueColumn("Credits", spent, unit.credits),
      valueColumn("Share", promql`${spent} / on () group_left () (sum(${spent}) > 0)`, unit.ratio, {
        width: 220,
        cell: "gauge",
        steps: steps("blue"),
      }),
      valueColumn("Credits today", of(credits, "day"), unit.credits),
      valueColumn("Requests", of(requests, "month"), unit.count),
      valueColumn("Per request", promql`(${spent} >= 0) / (${of(requests, "month")} > 0)`, unit.perRequest),
    ],
    sortBy: [{ title: "Credits", desc: true }],
  });
}
