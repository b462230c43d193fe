import { expect, test } from "vitest";
import type { Overview } from "../../../../exporter/status/overview.ts";
import { renderAxisPage } from "../../../../exporter/status/page/axis-page.ts";
import type { SpendHours } from "../../../../exporter/status/spend-hours.ts";
import { type Axis, axisAddress } from "../../../../exporter/status/view.ts";
import { windowAt } from "../../../../exporter/time/window.ts";
import { markupFaults, NOW, overviewOf, query, rows, textOf } from "./page-reader.ts";

const EVIL = `"><script>alert('1')</script>\n<img src=x onerror=alert(1)>\u202e&amp;/..%2f?#é`;
const UNKNOWN = {
  credits: undefined,
  dataMs: undefined,
  state: "waiting",
  lastSuccessMs: undefined,
} as const;
const OTHER = { model: "_other", app: "_other" };
const CHAT = { model: "acme/one", app: "Chat" };
const QUERIES = [
  query("day", {
    credits: 1,
    pairs: [
      { ...CHAT, credits: 0.1 },
      { model: "acme/one", app: "Search", credits: 0.2 },
      { model: "acme/two", app: "Chat", credits: 0.3 },
      { ...OTHER, credits: 0.4 },
    ],
    foldedPairs: 3,
  }),
  query("last_day", { credits: 0 }),
  query("month", {
    credits: 10,
    pairs: [
      { model: "acme/two", app: "Chat", credits: 6 },
      { ...CHAT, credits: 4 },
    ],
  }),
  query("last_month", UNKNOWN),
];

function pageOf(axis: Axis, name?: string, overview: Partial<Overview> = {}) {
  const { page, isMissing } = renderAxisPage(
    overviewOf({ queries: QUERIES, ...overview }),
    "/metrics",
    axis,
    name,
  );
  return { page: page.toString(), isMissing };
}

test("all models are in one table, which adds up to the spend of each window", () => {
  const { page, isMissing } = pageOf("model");
  expect(isMissing).toBe(false);
  expect(markupFaults(page)).toEqual([]);
  expect(rows(page)).toEqual([
    ["Model", "Today at least", "Yesterday", "This month", "Last month"],
    ["acme/two", "0.30 30.0%", "", "6.00 60.0%", "—"],
    ["acme/one", "0.30 30.0%", "", "4.00 40.0%", "—"],
    ["_other", "0.40 40.0%", "", "", "—"],
    ["In all", "1.00", "0.00", "10.00", "—"],
  ]);
  expect(rows(pageOf("app").page).map(([name]) => name)).toEqual([
    "App",
    "Chat",
    "Search",
    "_other",
    "In all",
  ]);
});

test("a total that is a sum of pairs is a lower bound, and no share is shown", () => {
  const pairs = [{ ...CHAT, credits: 5 }];
  const queries = [query("day", { credits: 5, isLeast: true, pairs }), query("month", { credits: 9, pairs })];
  for (const axis of ["model", "app"] as const) {
    const { page } = pageOf(axis, undefined, { queries });
    expect(rows(page).map((cells) => cells.slice(1))).toEqual([
      ["Today at least", "This month"],
      ["5.00", "5.00 55.6%"],
      ["", ""],
      ["at least 5.00", "9.00"],
    ]);
    expect(textOf(page)).toContain("Today 1 November 2026 at least 5.00 ● Up");
    expect(textOf(page)).toContain("This month November 2026 9.00 ● Up");
  }
  expect(textOf(pageOf("model", "acme/one", { queries }).page)).toContain("2026 at least 5.00 ● Up");
  const unknown = [query("day", { truncated: true })];
  for (const each of [queries, unknown])
    expect(textOf(pageOf("model", undefined, { queries: each }).page)).toContain(
      "pairs are unknown or part of",
    );
  expect(textOf(pageOf("model").page)).toContain("further pairs are part of");
});

/** 0.3 credits from 11:00 UTC on, 0.7 from 12:00, and nothing known before. */
const HOURS: SpendHours = {
  of: () => ({
    window: windowAt("day", NOW),
    total: [...Array.from({ length: 11 }, () => undefined), 0.3, 0.7, 0],
    byName: new Map([["acme/two", [...Array.from({ length: 12 }, () => undefined), 0.6, -0.1]]]),
  }),
  start: () => {},
  stop: () => {},
};

test("the spend by hour is drawn for all models and for each of them", () => {
  const { page } = pageOf("model", undefined, { spendHours: HOURS });
  expect(markupFaults(page)).toEqual([]);
  expect(textOf(page)).toContain("Spend by hour");
  expect(textOf(page)).toContain(
    "21 Nov, 00:00 UTC 22 Nov, 00:00 UTC The highest known hour: 0.70 credits from 12:00 UTC.",
  );
  expect(page).toContain("Credits from each hour on, UTC: 11:00 0.30, 12:00 0.70, 13:00 0.00.");
  // Two of 24 hours, of which the higher one has the whole height; nothing is drawn for 0 and for what is unknown.
  expect(page).toContain('d="M46.23 24v-10.29h3.37v10.29ZM50.4 24v-24h3.37v24Z"');
  expect(page.match(/class="spark"[^>]*>/g)).toEqual([
    'class="spark" role="img" aria-label="By hour. The highest known hour: 0.60 credits from 12:00 UTC.">',
  ]);
  const one = pageOf("model", "acme/two", { spendHours: HOURS }).page;
  expect(markupFaults(one)).toEqual([]);
  expect(textOf(one)).toContain(
    "The highest known hour: 0.60 credits from 12:00 UTC. “At least”: what was part of _other is left out.",
  );
  expect(textOf(page)).not.toContain("Spend by hour, at least");
  expect(textOf(pageOf("model", "acme/one", { spendHours: HOURS }).page)).not.toContain("Spend by hour");
});

test.each<[string, readonly (number | undefined)[], string | undefined, string]>([
  ["without spend", [0, 0], undefined, "Nothing was spent. An hour"],
  [
    "with hours that are unknown",
    [undefined, 0],
    undefined,
    "Nothing was spent in the hours that are known. An",
  ],
  ["of a model without known spend", [0, 0], "acme/two", "No spend is known. “At least”: what was"],
  ["whose spend is known", [2, 1], undefined, "The highest hour: 2.00 credits from 00:00 UTC."],
])("the note below a day %s describes it", (_, total, name, words) => {
  const byName = new Map([["acme/two", total]]);
  const spendHours = { ...HOURS, of: () => ({ window: windowAt("day", NOW), total, byName }) };
  expect(textOf(pageOf("model", name, { spendHours }).page)).toContain(words);
});

test("without recorded hours, nothing is drawn", () => {
  const unknown = { ...HOURS, of: () => undefined };
  expect(textOf(pageOf("model", undefined, { spendHours: unknown }).page)).not.toContain("Spend by hour");
});

test("the page of a model has its share, its apps, and the keys that spend on it", () => {
  const keyModels = {
    of: () => [],
    keysOf: (model: string) => [
      {
        window: "day" as const,
        keys: [
          { label: `Prod ${model}`, name: "billing", credits: 0.25 },
          { label: "Twin", name: undefined, credits: undefined },
        ],
      },
      { window: "month" as const, keys: [] },
    ],
  };
  const { page } = pageOf("model", "acme/one", { keyModels });
  expect(markupFaults(page)).toEqual([]);
  expect(rows(page)).toEqual([
    ["App", "Today at least", "Yesterday", "This month", "Last month"],
    ["Chat", "0.10 10.0%", "", "4.00 40.0%", "—"],
    ["Search", "0.20 20.0%", "", "", "—"],
    ["Name at the gateway", "Credits"],
    ["Prod acme/one billing", "0.25"],
    ["Twin", "—"],
  ]);
  const text = textOf(page);
  expect(text).toContain("Today 1 November 2026 at least 0.30 30.0% of all");
  expect(text).toContain("This month November 2026 4.00 40.0% of all");
  expect(text).toContain("This month No key is named with this model.");
  expect(page).toContain('<a href="/keys/billing">');
  const apps = rows(pageOf("app", "Chat", { keyModels }).page).map(([name]) => name);
  expect(apps).toEqual(["Model", "acme/two", "acme/one"]);
});

test("a name that no answer has is missing, and so is the rest", () => {
  for (const name of [EVIL, "_other", "Chat", ""]) {
    const { page, isMissing } = pageOf("model", name);
    expect([name, isMissing]).toEqual([name, true]);
    expect(markupFaults(page)).toEqual([]);
    expect(page).not.toMatch(/<script|<img/);
    expect(textOf(page)).toContain("No such model");
  }
});

test.each([EVIL, "a/b", "x".repeat(2000), "\ud800", "_none"])(
  "%j has well-formed pages, and a link that leads to it alone",
  (name) => {
    for (const axis of ["model", "app"] as const) {
      const queries = [query("day", { credits: 1, pairs: [{ model: name, app: name, credits: 1 }] })];
      const { page } = pageOf(axis, undefined, { queries });
      const [, link = ""] = /<th scope="row"><a href="([^"]*)"/.exec(page) ?? [];
      expect(link.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))).toBe(
        axisAddress(axis, name),
      );
      expect(new URL(axisAddress(axis, name), "http://x").hash).toBe("");
      const one = pageOf(axis, name.toWellFormed(), {
        queries: [
          query("day", { pairs: [{ model: name.toWellFormed(), app: name.toWellFormed(), credits: 1 }] }),
        ],
      });
      expect(one.isMissing).toBe(false);
      for (const each of [page, one.page]) {
        expect(markupFaults(each)).toEqual([]);
        expect(each).not.toMatch(/<script|<img/);
      }
    }
  },
);

test("many models are cut, and their number is shown", () => {
  const pairs = Array.from({ length: 250 }, (_, index) => ({ model: `m-${index}`, app: "a", credits: 1 }));
  const { page } = pageOf("model", undefined, { queries: [query("day", { pairs, credits: 250 })] });
  expect(rows(page)).toHaveLength(203);
  expect(textOf(page)).toContain("… and 50 more.");
});

test("without a management key the pages say so", () => {
  expect(textOf(pageOf("app", undefined, { queries: [] }).page)).toContain("no management key is configured");
});
