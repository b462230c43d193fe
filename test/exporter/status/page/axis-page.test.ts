import { expect, test } from "vitest";
import type { Overview } from "../../../../exporter/status/overview.ts";
import { renderAxisPage } from "../../../../exporter/status/page/axis-page.ts";
import type { QueryRow } from "../../../../exporter/status/target-rows.ts";
import { type Axis, axisAddress } from "../../../../exporter/status/view.ts";
import { historyOf, key, markupFaults, overviewOf, query, rows, textOf } from "./page-reader.ts";

const EVIL = `"><script>alert('1')</script>\n<img src=x onerror=alert(1)>\u202e&amp;/..%2f?#é`;
const UNKNOWN = { dataMs: undefined, state: "waiting", lastSuccessMs: undefined } as const;
const OTHER = { model: "_other", app: "_other" };
const CHAT = { model: "acme/one", app: "Chat" };
const QUERIES = [
  query("day", {
    credits: 1,
    requests: 1234,
    pairs: [
      { ...CHAT, credits: 0.1 },
      { model: "acme/one", app: "Search", credits: 0.2 },
      { model: "acme/two", app: "Chat", credits: 0.3 },
      { ...OTHER, credits: 0.4 },
    ],
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

function axisPage(axis: Axis, name?: string, overview: Partial<Overview> = {}) {
  const { text, isMissing } = renderAxisPage(overviewOf({ queries: QUERIES, ...overview }), "/metrics", {
    axis,
    name,
  });
  return { page: text, isMissing };
}

test("all models are in one table, which adds up to the spend of each window", () => {
  const { page, isMissing } = axisPage("model");
  expect(isMissing).toBe(false);
  expect(markupFaults(page)).toEqual([]);
  expect(rows(page)).toEqual([
    ["Model", "Today at least", "Yesterday", "This month", "Last month"],
    ["acme/two", "0.30 30.0%", "", "6.00 60.0%", "—"],
    ["acme/one", "0.30 30.0%", "", "4.00 40.0%", "—"],
    ["Everything else", "0.40 40.0%", "", "", "—"],
    ["In all", "1.00", "0.00", "10.00", "—"],
  ]);
  expect(textOf(page)).toContain("This month November 2026 10.00 ● Up 1 min ago");
  expect(textOf(page)).toContain("Yesterday 1 November 2026 0.00 ● Up 5 s ago");
  expect(textOf(page)).toContain("Last month November 2026 — ○ Waiting not polled yet");
  expect(rows(axisPage("app").page).map(([name]) => name)).toEqual([
    "App",
    "Chat",
    "Search",
    "Everything else",
    "In all",
  ]);
});

test("there is no share of a total of 0 and none of a discount", () => {
  const pairs = [
    { model: "m", app: "a", credits: -2 },
    { model: "n", app: "a", credits: 0 },
  ];
  const amounts = (credits: number) =>
    rows(axisPage("model", undefined, { queries: [query("day", { pairs, credits })] }).page).map(
      (row) => row[1],
    );
  expect(amounts(0).slice(1, 3)).toEqual(["−2.00", "0.00"]);
  expect(amounts(4).slice(1, 3)).toEqual(["−2.00", "0.00 0.0%"]);
});

const NEITHER = "neither all pairs nor a complete total: what the rest spent is unknown.";
test.each<[string, Partial<QueryRow>, RegExp, string]>([
  ["whole", { credits: 5 }, /./, "The gateway"],
  ["cut, with its total", { credits: 5, truncated: true }, /more pairs .* The total is complete\./, NEITHER],
  [
    "cut, without a total",
    { credits: 5, isLeast: true, truncated: true },
    new RegExp(NEITHER),
    "is complete",
  ],
  ["below its rows", { credits: 5, exceedsTotal: true }, /add up to more than its total/, NEITHER],
])("an answer that is %s is explained", (_, more, words, missing) => {
  const text = textOf(axisPage("model", undefined, { queries: [query("day", more)] }).page);
  expect(text).toMatch(words);
  expect(text).not.toContain(missing);
});

test("a total that is a sum of pairs is a lower bound, and no share is shown", () => {
  const pairs = [{ ...CHAT, credits: 5 }];
  const least = { isLeast: true, isRequestsLeast: true, requests: 7 };
  const queries = [query("day", { credits: 5, ...least, pairs }), query("month", { credits: 9, pairs })];
  const { page } = axisPage("app", undefined, { queries });
  expect(rows(page).map((cells) => cells.slice(1))).toEqual([
    ["Today at least", "This month"],
    ["5.00", "5.00 55.6%"],
    ["at least 5.00", "9.00"],
  ]);
  expect(textOf(page)).toContain("Today 1 November 2026 at least 5.00 at least 7 requests ● Up");
  expect(textOf(axisPage("model", "acme/one", { queries }).page)).toContain("2026 at least 5.00 ● Up");
});

test("the page of a model has its share, its apps, and the keys that spend on it", () => {
  const keyModels = {
    of: () => [],
    keysOf: (model: string) => [
      query("day", { pairs: [{ model: `Prod ${model}`, app: "", credits: 0.25 }] }),
      query("month", { pairs: [{ model: "Twin", app: "", credits: 2 }] }),
    ],
  };
  const keyNames = {
    of: () => ({ label: undefined, isShared: false }),
    keyOf: (label: string) => (label === "Twin" ? undefined : key("billing")),
  };
  const { page } = axisPage("model", "acme/one", { keyModels, keyNames });
  expect(markupFaults(page)).toEqual([]);
  expect(rows(page)).toEqual([
    ["App", "Today at least", "Yesterday", "This month", "Last month"],
    ["Chat", "0.10 10.0%", "", "4.00 40.0%", "—"],
    ["Search", "0.20 20.0%", "", "", "—"],
    ["Name at the gateway", "Today", "This month"],
    ["Twin", "", "2.00"],
    ["Prod acme/one billing", "0.25", ""],
  ]);
  expect(textOf(page)).toContain("Today 1 November 2026 at least 0.30 30.0% of all");
  expect(page).toContain('<a href="/keys/billing">');
  expect(rows(axisPage("app", "Chat", { keyModels }).page).map(([name]) => name)).toEqual([
    "Model",
    "acme/two",
    "acme/one",
  ]);
});

test("a name that no answer has is missing, and so is the rest", () => {
  for (const name of [EVIL, "_other", "Chat", ""]) {
    const { page, isMissing } = axisPage("model", name);
    expect([name, isMissing]).toEqual([name, true]);
    expect(markupFaults(page)).toEqual([]);
    expect(page).not.toMatch(/<script|<img/);
    expect(textOf(page)).toContain("No such model");
  }
});

test.each([EVIL, "a/b", "\ud800", "_none"])(
  "%j has well-formed pages, and a link that leads to it",
  (name) => {
    const queries = [query("day", { credits: 1, pairs: [{ model: name, app: name, credits: 1 }] })];
    const { page } = axisPage("app", undefined, { queries, history: historyOf({ [name]: [1, 2] }) });
    const [, link = ""] = /<th scope="row"><a href="([^"]*)"/.exec(page) ?? [];
    expect(link.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))).toBe(
      axisAddress("app", name),
    );
    const one = axisPage("model", name, { queries });
    expect(one.isMissing).toBe(false);
    expect(textOf(one.page).includes("Model no model")).toBe(name === "_none");
    for (const each of [page, one.page]) {
      expect(markupFaults(each)).toEqual([]);
      expect(each).not.toMatch(/<script|<img/);
    }
  },
);

test("without a management key the pages say so", () => {
  expect(textOf(axisPage("app", undefined, { queries: [] }).page)).toContain(
    "no management key is configured",
  );
});
