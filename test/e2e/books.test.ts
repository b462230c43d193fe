import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Switches } from "../gateway/switches.ts";
import { DAY } from "../gateway/windows.ts";
import { describeWithTools } from "../support/tools.ts";
import { type BooksStage, startBooksStage, TOP } from "./books-stage.ts";
import { bookOf, QUERIES } from "./analytics-series.ts";
import { bookProblems, endedWindowProblems, keyProblems, sumProblems } from "./book-problems.ts";

/** From a Friday to a Tuesday: the first of the month is a Sunday, followed by a Monday. */
const START = Date.parse("2026-10-30T00:00:00Z");

const SECOND = 1000;
const HOUR = 3_600_000;

describeWithTools(["prometheus2"], "the books, in Los Angeles", ({ prometheus2 }) =>
  booksTests(prometheus2, "America/Los_Angeles", {}),
);

describeWithTools(
  ["prometheus3"],
  "the books, in Auckland, from a service that differs from the contract",
  ({ prometheus3 }) =>
    booksTests(prometheus3, "Pacific/Auckland", {
      numbersAs: "by_turns",
      keyNumbersAsStrings: true,
      nullComponents: true,
      extraColumns: true,
      extraKeyFields: true,
      cachedAt: true,
      discounts: true,
      staleAfterMidnightMs: 80_000,
      errorBody: "html",
    }),
);

/** The series of every key, model and app in Prometheus match the gateway's books to the last bit. */
function booksTests(binary: string, timeZone: string, switches: Partial<Switches>): void {
  let stage: BooksStage;

  beforeAll(async () => {
    stage = await startBooksStage({ binary, timeZone, switches, start: START });
  });

  afterAll(() => stage.stop());

  test("have the promised size, and the exporter runs in its time zone", () => {
    const pairs = QUERIES.map((query) => bookOf(stage.gateway, query).pairs.length);
    expect(stage.gateway.tokens.size).toBeGreaterThanOrEqual(50);
    expect(Math.max(...pairs)).toBeGreaterThan(TOP + 20);
    expect(stage.timeZone).toBe(timeZone);
  });

  describe.each([0, 1, 2, 3])("day %i", (day) => {
    const midnight = START + (day + 1) * DAY;

    test("match during the day", async () => {
      await stage.leap(midnight - (10 - day) * HOUR);
      await stage.runFor(150 * SECOND);
      expect(await problemsOf(stage)).toEqual([]);
    });

    test("at 23:59:40", async () => {
      await stage.leap(midnight - 180 * SECOND);
      await stage.runTo(midnight - 20 * SECOND);
      expect(await problemsOf(stage)).toEqual([]);
    });

    test("at 00:00:30 no ended window is shown", async () => {
      await stage.runTo(midnight - SECOND);
      const before = stage.keySeriesAt([midnight - 180 * SECOND, midnight - 1]);
      stage.setGateway(midnight + 5 * SECOND);
      const allowed = [...before, ...stage.keySeriesAt([midnight + 5 * SECOND])];
      await stage.runTo(midnight + 30 * SECOND);
      expect(endedWindowProblems(await stage.scraped(), midnight, allowed)).toEqual([]);
      await stage.runTo(midnight + 85 * SECOND);
      expect(endedWindowProblems(await stage.scraped(), midnight, allowed)).toEqual([]);
    });

    test("at 00:02:30 the new windows are shown", async () => {
      // A service that says when it computed its answer is believed from 90 seconds after midnight on.
      stage.setGateway(midnight + 90 * SECOND);
      await stage.runTo(midnight + 150 * SECOND);
      expect(await problemsOf(stage)).toEqual([]);
    });
  });

  test("match match on the last morning", async () => {
    await stage.leap(START + 4 * DAY + 8 * HOUR);
    await stage.runFor(150 * SECOND);
    expect(await problemsOf(stage)).toEqual([]);
  });

  test("a key that is disabled keeps its values for their time to live, and gets them back", async () => {
    const before = await stage.scraped();
    stage.gateway.disable("search");
    await stage.runFor(70 * SECOND);
    const refused = await stage.scrapedWith('aigateway_key_up{key="search"}', 0);
    expect(refused.get('aigateway_key_unauthorized{key="search"}')).toBe(1);
    const usage = 'aigateway_key_usage_credits{key="search"}';
    expect(before.get(usage)).toBeGreaterThan(0);
    expect(refused.get(usage)).toBe(before.get(usage));

    await stage.runFor(112 * SECOND);
    expect(keyProblems(await stage.scraped(), stage.gateway)).toEqual([]);

    stage.gateway.enable("search");
    await stage.runFor(70 * SECOND);
    expect(await problemsOf(stage)).toEqual([]);
  });
}

/** The differences between Prometheus and the books, after everything was polled once more. */
async function problemsOf(stage: BooksStage): Promise<readonly string[]> {
  const { gateway } = stage;
  const series = await stage.scrapedAfterPolls();
  const books = QUERIES.map((query) => bookOf(gateway, query));
  return [
    ...keyProblems(series, gateway),
    ...books.flatMap((book) => bookProblems(series, book, TOP, gateway.switches.nullComponents)),
    ...sumProblems(await stage.sums(), gateway),
  ];
}
