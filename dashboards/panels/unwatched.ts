import { discoveryFamilies as discovery } from "../../exporter/collectors/discovery-families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { type Figure, figure } from "../builder/stat.ts";
import { labelColumn, table, valueColumn, valueTexts } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { namesOfNobody } from "../expressions/account-keys.ts";
import { ofAccount, unwatchedShare } from "../expressions/account-spend.ts";
import { ofJob } from "../expressions/scope.ts";
import type { Series } from "../promql.ts";
import { thresholds } from "../thresholds.ts";
import { unwatchedFamilies as families } from "../../exporter/collectors/account-families.ts";

const someSpend = steps("green", [thresholds.unwatchedCredits, "orange"]);

const wide = (definition: Omit<Figure, "width">) => figure({ ...definition, width: 6 });

const READ =
  "0 is good. It is not known while the gateway cannot resolve the hash of a watched key, and in the first minutes of a day or month.";
const ACT = "The table below names keys; watch them, or disable those that nobody knows.";

function spent(id: number, title: string, series: Series, words: string): PlacedPanel {
  return wide({
    id,
    title,
    expr: ofAccount(series),
    unit: unit.credits,
    steps: someSpend,
    empty: "not known",
    shows: `Credits spent ${words} by everything but the watched keys, which are configured or listed.`,
    read: READ,
    act: ACT,
  });
}

export const today = (id: number) => spent(id, "Unwatched today", families.day, "in the current UTC day");
export const month = (id: number) =>
  spent(id, "Unwatched this month", families.month, "in the current UTC month");

export function share(id: number): PlacedPanel {
  return wide({
    id,
    title: "Unwatched share this month",
    expr: unwatchedShare,
    unit: unit.ratio,
    steps: steps("green", [0.0005, "orange"]),
    empty: "not known",
    shows:
      "The unwatched part of what the chosen accounts have spent in the current UTC month, without accounts whose unwatched spend is not known.",
    read: READ,
    act: ACT,
  });
}

export function unresolved(id: number): PlacedPanel {
  return wide({
    id,
    title: "Unresolved keys",
    expr: ofAccount(families.unresolved),
    unit: unit.count,
    steps: steps("green", [1, "orange"]),
    empty: "not reported",
    shows: "Watched keys that the gateway does not know by their hash.",
    read: "0 is good. Otherwise the spend of those keys would count as unwatched, so it is not shown.",
    act: "The status page names configured keys among them: a deleted key, or a secret of another account.",
  });
}

/** The names of keys that nobody watches, as far as the names show it. */
export function names(id: number): PlacedPanel {
  return table({
    id,
    title: "Unwatched names this month",
    width: 10,
    shows:
      "Names of keys that spent credits in the current UTC month, and that no listed or configured key has.",
    read: "Most expensive first. A hint, because only names are compared: a key that was renamed or deleted in this month appears under its former name, and a configured key that is in no list appears if its label differs from its name at the gateway. A key that shares the name of a watched one is missing, and so are pairs beyond the query's top. Chatroom is use without a key.",
    act: "Ask who uses them. Add their workspace to discovery.workspaces or widen discovery.include, or disable them.",
    empty:
      "No such name is known to have spent anything; only keys that are listed can be compared (discovery)",
    columns: [
      labelColumn("api_key", "Name"),
      valueColumn("Credits", namesOfNobody, unit.credits, { width: 150 }),
    ],
    sortBy: [{ title: "Credits", desc: true }],
  });
}

const perWorkspace = (series: Series) => `max by (job, gateway, workspace) (${ofJob(series)})`;

/** Whether the keys of each workspace are listed. */
export function lists(id: number): PlacedPanel {
  return table({
    id,
    title: "Lists of keys",
    width: 14,
    shows: "For each workspace whether its keys were last listed to the end, and how many there are.",
    read: "Excluded keys are left out by discovery.include and discovery.exclude. Unreadable keys keep their last values until these are too old.",
    act: "If a list fails, the exporter's log and status page show why.",
    empty: "No list of keys is configured (discovery in the exporter's configuration), or none was read yet",
    columns: [
      labelColumn("workspace", "Workspace"),
      valueColumn("List", perWorkspace(discovery.up), unit.none, {
        width: 95,
        cell: "text",
        steps: steps("text"),
        mappings: [
          valueTexts({ 1: { text: "complete", color: "green" }, 0: { text: "failed", color: "red" } }),
        ],
      }),
      valueColumn("Last complete", `1000 * ${perWorkspace(discovery.lastSuccess)}`, unit.fromNow, {
        width: 150,
      }),
      valueColumn("Keys", perWorkspace(discovery.keys), unit.count, { width: 95 }),
      valueColumn("Excluded", perWorkspace(discovery.excluded), unit.count, { width: 95 }),
      valueColumn("Unreadable", perWorkspace(discovery.unreadable), unit.count, {
        width: 115,
        cell: "text",
        steps: steps("text", [1, "orange"]),
      }),
    ],
    hidden: ["job", "gateway"],
    sortBy: [{ title: "Workspace", desc: false }],
  });
}
