import { describe, expect, test } from "vitest";
import type { QueryRow } from "../../../../exporter/status/target-rows.ts";
import { DAY, NOW, pageOf, query, rows, textOf } from "./page-reader.ts";

const pairs = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    model: `model-${index}`,
    app: "Chat",
    credits: 10 - index,
  }));
const REST = { model: "_other", app: "_other", credits: 5 };

describe("the section of models and apps", () => {
  test("shows each window with its dates and the age of its data", () => {
    const text = textOf(
      pageOf({
        queries: [
          query("day", { windowStartMs: NOW - DAY, credits: 12.5, requests: 1234 }),
          query("last_day", { windowStartMs: NOW - 2 * DAY }),
          query("month"),
          query("last_month", { state: "waiting", lastSuccessMs: undefined, dataMs: undefined }),
        ],
      }),
    );
    // Data of the current window have the age that the gateway reports; data of a past window do not age.
    expect(text).toContain("Today 20 November 2026 ● Up 1 min ago Credits 12.50 Requests 1,234");
    expect(text).toContain("Yesterday 19 November 2026 ● Up 5 s ago Credits — Requests —");
    expect(text).toContain("This month November 2026 ● Up 1 min ago");
    expect(text).toContain("Last month November 2026 ○ Waiting not polled yet");
  });

  test("lists pairs by credits with their shares, then the sum of further pairs, then _other", () => {
    const row = query("day", { pairs: [...pairs(10), REST], credits: 60, foldedPairs: 7 });
    const table = rows(pageOf({ queries: [row] }));
    expect(table.slice(0, 2)).toEqual([
      ["Model", "App", "Credits", "Share"],
      ["model-0", "Chat", "10.00", "16.7%"],
    ]);
    expect(table.slice(-3)).toEqual([
      ["model-7", "Chat", "3.00", "5.0%"],
      ["… and 2 more pairs", "3.00", "5.0%"],
      ["_other, 7 pairs", "5.00", "8.3%"],
    ]);
    expect(textOf(pageOf({ queries: [row] }))).toContain("_other is everything that is not shown by name");
  });

  test("shows no share of a total of 0 and none for a discount", () => {
    const discount = { model: "m", app: "a", credits: -2 };
    const free = { model: "n", app: "a", credits: 0 };
    const shares = (credits: number) =>
      rows(pageOf({ queries: [query("day", { pairs: [free, discount], credits })] })).map(
        (cells) => cells[3],
      );
    expect(shares(0)).toEqual(["Share", "—", "—"]);
    expect(shares(4)).toEqual(["Share", "0.0%", "—"]);
  });

  test("reports that the gateway has more pairs than it returned", () => {
    const [truncated, whole] = [true, false].map((is) =>
      textOf(pageOf({ queries: [query("day", { credits: 5, truncated: is })] })),
    );
    expect(truncated).toContain("The gateway has more pairs than it returned");
    expect(truncated).toContain("The total is complete.");
    expect(whole).not.toContain("more pairs");
  });

  test.each<[string, Partial<QueryRow>, string]>([
    [
      "a sum of pairs",
      { credits: 5, requests: 7, pairs: [REST] },
      "Credits at least 5.00 Requests at least 7",
    ],
    [
      "no amounts",
      { credits: undefined, pairs: [] },
      "Credits — Requests — What models and apps spent in this",
    ],
  ])("calls no total complete that is %s, and shows no share of it", (_, more, words) => {
    const row = query("day", { isLeast: true, isRequestsLeast: true, truncated: true, ...more });
    const text = textOf(pageOf({ queries: [row] }));
    expect(text).toContain(words);
    expect(text).toContain("neither all pairs nor a complete total: what the rest spent is unknown.");
    expect(text).not.toMatch(/total is complete|100\.0%|no spend/);
  });

  test("distinguishes a window without spend from one without data", () => {
    expect(textOf(pageOf({ queries: [query("day", { credits: 0 })] }))).toContain("reports no spend");
    const nothing = "What models and apps spent in this window is unknown.";
    for (const row of [query("day", { requests: 7 }), query("day", { credits: 0, isLeast: true })])
      expect(textOf(pageOf({ queries: [row] }))).toContain(nothing);
    const unknown = { dataMs: undefined, windowStartMs: undefined, truncated: undefined };
    expect(textOf(pageOf({ queries: [query("day", unknown)] }))).toContain(
      "There are no current data for this window",
    );
  });

  test("is left out without analytics", () => {
    expect(textOf(pageOf({}))).not.toContain("Models and apps");
  });
});
