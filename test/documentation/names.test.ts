import { describe, expect, test } from "vitest";
import { families } from "../../dashboards/families.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { backfillFamilies } from "../../exporter/backfill/write-days.ts";
import { knownSeries } from "../dashboards/known-series.ts";
import { pages } from "./pages.ts";

/** The changelog names what has been renamed since. */
const current = pages.filter(({ path }) => path !== "CHANGELOG.md");
const series = new Set([
  ...[...families, ...Object.values(backfillFamilies)].map(({ name }) => name),
  ...knownSeries.keys(),
]);
const alerts = new Set(createRules().flatMap(({ rules }) => rules.map(({ alert }) => alert)));

describe.each(current)("$path", ({ text }) => {
  test("names series that exist", () => {
    const names = [...text.matchAll(/(?<![\w./-])(?:\w+:)?aigateway_[\w:]*\*?/g)].map(([name]) => name);
    expect(names.filter((name) => !isSeries(name))).toEqual([]);
  });

  test("names alerts that exist", () => {
    const names = [...text.matchAll(/\bAIGateway\w*(?:[…*]|\[|\.[+*])?/g)].map(([name]) => name);
    expect(names.filter((name) => !/[[+]$/.test(name) && !isAlertName(name))).toEqual([]);
  });
});

test("the names of series and alerts are known", () => {
  expect(series.size).toBeGreaterThan(150);
  expect(alerts.size).toBeGreaterThan(30);
  expect(isSeries("aigateway_key_upp")).toBe(false);
  expect(isAlertName("AIGatewayKeyExhaustd")).toBe(false);
});

function isSeries(name: string): boolean {
  const prefix = name.replace("*", "");
  if (/[_:*]$/.test(name)) return [...series].some((each) => each.startsWith(prefix));
  return series.has(name) || series.has(name.replace(/_(?:bucket|sum|count)$/, ""));
}

function isAlertName(name: string): boolean {
  if (!/[…*]$/.test(name)) return alerts.has(name);
  return [...alerts].some((each) => each.startsWith(name.slice(0, -1)));
}
