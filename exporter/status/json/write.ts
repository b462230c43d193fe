import type { Overview } from "../overview.ts";
import { viewed } from "../page/viewed.ts";
import type { View } from "../view.ts";
import { budgetJson, headJson, keyJson } from "./rows.ts";

/** More than on the page, because scripts read all of them. */
const KEYS_SHOWN = 1000;

/**
 * A view of the status as JSON, in which unknown values are absent. `pace` may let other work run between two rows,
 * because a page of keys is half a megabyte.
 */
export async function writeStatusJson(all: Overview, view: View, pace: () => Promise<void>): Promise<string> {
  const overview = viewed(all, view);
  const { keys, budgets } = overview;
  const end = view.page * KEYS_SHOWN;
  const head = headJson(overview, end < keys.length ? view.page + 1 : undefined);
  const parts = [jsonText(head).slice(0, -1)];
  const add = async <Row>(name: string, rows: readonly Row[], made: (row: Row) => object) => {
    for (const [index, row] of rows.entries()) {
      parts.push(index === 0 ? `,"${name}":[` : ",", jsonText(made(row)));
      await pace();
    }
    parts.push(rows.length === 0 ? `,"${name}":[]` : "]");
  };
  await add("keys", keys.slice(end - KEYS_SHOWN, end), (key) => keyJson(key, overview));
  await add("budgets", budgets, budgetJson);
  return `${parts.join("")}}\n`;
}

/** A number that is not finite is unknown; JSON would have null. */
function jsonText(value: object): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === "number" && !Number.isFinite(each) ? undefined : each,
  );
}
