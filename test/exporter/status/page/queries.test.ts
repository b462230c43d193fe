import { describe, expect, test } from "vitest";
import { DAY, NOW, pageOf, query, rows, textOf } from "./page-reader.ts";

const pairs = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    model: `model-${index}`,
    app: "Chat",
    credits: 10 - index,
  }));
const REST = { model: "_other", app: "_other", credits: 5 };

describe("models and apps", () => {
  test("are shown for each window, with what it is and how old", () => {
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
    // The data of a running window are as old as the gateway says; those of one that has ended do not age.
    expect(text).toContain("Today 20 November 2026 ● Up 1 min ago Credits 12.50 Requests 1,234");
    expect(text).toContain("Yesterday 19 November 2026 ● Up 5 s ago Credits — Requests —");
    expect(text).toContain("This month November 2026 ● Up 1 min ago");
    expect(text).toContain("Last month November 2026 ○ Waiting not polled yet");
  });

  test("come by credits with their shares, then the other named ones, and the rest last", () => {
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

  test("have no share of nothing, and discounts have none either", () => {
    const discount = { model: "m", app: "a", credits: -2 };
    const free = { model: "n", app: "a", credits: 0 };
    const shares = (credits: number) =>
      rows(pageOf({ queries: [query("day", { pairs: [free, discount], credits })] })).map(
        (cells) => cells[3],
      );
    expect(shares(0)).toEqual(["Share", "—", "—"]);
    expect(shares(4)).toEqual(["Share", "0.0%", "—"]);
  });

  test("say when the gateway has more pairs than it tells", () => {
    const [truncated, whole] = [true, false].map((is) =>
      textOf(pageOf({ queries: [query("day", { truncated: is })] })),
    );
    expect(truncated).toContain("The gateway has more pairs than it returned");
    expect(whole).not.toContain("more pairs");
  });

  test("tell a window without spend from one of which nothing is known", () => {
    expect(textOf(pageOf({ queries: [query("day")] }))).toContain("reports no spend");
    const unknown = { dataMs: undefined, windowStartMs: undefined, truncated: undefined };
    expect(textOf(pageOf({ queries: [query("day", unknown)] }))).toContain(
      "There are no current data for this window",
    );
  });

  test("are left out when no analytics are asked for", () => {
    expect(textOf(pageOf({}))).not.toContain("Models and apps");
  });
});
