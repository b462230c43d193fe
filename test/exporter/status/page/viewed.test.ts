import { expect, test } from "vitest";
import type { View } from "../../../../exporter/status/view.ts";
import { budget, forecast, key, NOW, pageOf, query, rows, textOf } from "./page-reader.ts";

const owned = (team: string, project = "") => ({ owner: { team, project, costCenter: "" } });
const NOTHING = { limit: undefined, remaining: undefined, month: undefined };
const KEYS = [
  key("search", { ...owned("web"), month: 5, remaining: 4 }),
  key("billing", {
    ...owned("payments", "Invoices"),
    month: undefined,
    forecast: forecast({ outlook: "imminent", exhaustionMs: NOW + 60_000 }),
  }),
  key("fraud", { ...owned("payments"), month: 0, remaining: 0 }),
  key("new", { state: "waiting", ...NOTHING }),
  key("failing", { state: "down", ...NOTHING }),
  key("free", { limit: "unlimited", remaining: undefined, month: 90 }),
];
const OVERVIEW = {
  keys: KEYS,
  queries: [query("day")],
  budgets: [budget("pay", { team: "payments" }), budget("other")],
};

test.each<[Partial<View>, readonly string[]]>([
  [{}, ["fraud", "billing", "failing", "new", "search", "free"]],
  [{ sort: "name" }, ["billing", "failing", "fraud", "free", "new", "search"]],
  [{ sort: "month" }, ["free", "search", "fraud", "billing", "new", "failing"]],
  [{ sort: "used" }, ["fraud", "search", "billing", "new", "failing", "free"]],
  [{ team: "payments" }, ["fraud", "billing"]],
  [{ search: "invoice" }, ["billing"]],
  [{ search: "pay", sort: "name" }, ["billing", "fraud"]],
  [{ state: "stopped" }, ["fraud"]],
  [{ state: "hour" }, ["billing"]],
  [{ state: "week" }, []],
  [{ state: "failing" }, ["failing"]],
])("the view %j shows these keys in this order", (view, names) => {
  expect(namesOf(pageOf(OVERVIEW, "/metrics", view))).toEqual(names);
});

test("the view of a team shows its budgets, its keys and their sums, and what it leaves out", () => {
  const text = textOf(pageOf(OVERVIEW, "/metrics", { team: "payments" }));
  expect(text).toContain("2 keys of 6");
  expect(text).toContain("Keys stopped 1 of 2");
  expect(text).toContain("partial: unknown for 1 key");
  expect(text).not.toMatch(/other Within|Models and apps Today/);
  expect(textOf(pageOf(OVERVIEW, "/metrics", { team: "nobody" }))).toContain("No key matches.");
});

test("the pages of 10,000 keys are linked, and contain each key once", () => {
  const overview = { keys: Array.from({ length: 10_000 }, (_, index) => key(`key-${index}`)) };
  const page = pageOf(overview, "/metrics", { page: 2, sort: "day" });
  expect(namesOf(page)).toEqual(Array.from({ length: 100 }, (_, index) => `key-${index + 100}`));
  expect([...page.matchAll(/<a href="([^"]*page=[^"]*|[^"]*#keys)"/g)].map(([, link]) => link)).toEqual([
    "/?sort=day#keys",
    "/?sort=day&#38;page=3#keys",
  ]);
  const last = textOf(pageOf(overview, "/metrics", { page: 101 }));
  expect(last).toContain("Previous Page 101 of 100");
});

test("hostile parameters are plain text", () => {
  const evil = `"><script>alert(1)</script>`;
  const page = pageOf(OVERVIEW, "/metrics", { search: evil, team: evil });
  expect(page).not.toContain("<script");
  expect(page.match(/value="&#34;&#62;&#60;script/g)).toHaveLength(2);
});

function namesOf(page: string): readonly string[] {
  const table = page.slice(page.indexOf('id="keys"'));
  return page.includes('id="keys"')
    ? rows(table.slice(0, table.indexOf("</table>")))
        .slice(1)
        .map(([name = ""]) => name.split(" ")[0] ?? "")
    : [];
}
