import { expect, test } from "vitest";
import { addressOf, readView, type View, WHOLE } from "../../../exporter/status/view.ts";

test.each<[string, Partial<View>]>([
  ["", {}],
  ["search=&team=&state=&sort=&page=", {}],
  ["team=payments&sort=month", { team: "payments", sort: "month" }],
  ["search=%20Bill+ing%26%20", { search: "bill ing&" }],
  ["state=stopped&page=3", { state: "stopped", page: 3 }],
])("the parameters %j describe a view, and its address describes the same one", (query, parts) => {
  const view = { ...WHOLE, ...parts };
  expect(readView(query)).toEqual({ view });
  expect(readView(addressOf(view).split("?")[1] ?? "")).toEqual({ view });
});

test.each([
  ["serach=x", '"serach" is not a parameter of the page; use search, team, state, sort, page'],
  ["__proto__=x", '"__proto__" is not a parameter of the page; use search, team, state, sort, page'],
  ["sort=price", 'sort: "price" is not one of name, used, left, day, week, month, total'],
  ["state=Up", 'state: "Up" is not one of stopped, hour, day, week, failing, waiting, up, disabled'],
  ["page=0", 'page: "0" is not a number from 1'],
  ["page=10000000", 'page: "10000000" is not a number from 1'],
  ["page=2&page=3", "page is given more than once"],
  [`team=${"x".repeat(101)}`, `team: "${"x".repeat(101)}" is not a text of at most 100 characters`],
  ["%0aHost%3a=x", '"\\nHost:" is not a parameter of the page; use search, team, state, sort, page'],
])("the parameters %j are refused with the reason", (query, problem) => {
  expect(readView(query)).toEqual({ problems: [problem] });
});
