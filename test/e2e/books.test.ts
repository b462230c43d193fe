import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Switches } from "../gateway/switches.ts";
import { DAY } from "../gateway/windows.ts";
import { describeWithTools } from "../support/tools.ts";
import { type Bench, startBench, TOP } from "./books-bench.ts";
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
  "the books, in Auckland, from a service with its own ways",
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
  let bench: Bench;

  beforeAll(async () => {
    bench = await startBench({ binary, timeZone, switches, start: START });
  });

  afterAll(() => bench.stop());

  test("have the promised size, and the exporter runs in its time zone", () => {
    const pairs = QUERIES.map((query) => bookOf(bench.gateway, query).pairs.length);
    expect(bench.gateway.tokens.size).toBeGreaterThanOrEqual(50);
    expect(Math.max(...pairs)).toBeGreaterThan(TOP + 20);
    expect(bench.timeZone).toBe(timeZone);
  });

  describe.each([0, 1, 2, 3])("day %i", (day) => {
    const midnight = START + (day + 1) * DAY;

    test("match during the day", async () => {
      await bench.leap(midnight - (10 - day) * HOUR);
      await bench.runFor(150 * SECOND);
      expect(await problemsOf(bench)).toEqual([]);
    });

    test("at 23:59:40", async () => {
      await bench.leap(midnight - 180 * SECOND);
      await bench.runTo(midnight - 20 * SECOND);
      expect(await problemsOf(bench)).toEqual([]);
    });

    test("at 00:00:30 no ended window is shown", async () => {
      await bench.runTo(midnight - SECOND);
      const before = bench.keySeriesAt([midnight - 180 * SECOND, midnight - 1]);
      bench.setGateway(midnight + 5 * SECOND);
      const allowed = [...before, ...bench.keySeriesAt([midnight + 5 * SECOND])];
      await bench.runTo(midnight + 30 * SECOND);
      expect(endedWindowProblems(await bench.scraped(), midnight, allowed)).toEqual([]);
      await bench.runTo(midnight + 85 * SECOND);
      expect(endedWindowProblems(await bench.scraped(), midnight, allowed)).toEqual([]);
    });

    test("at 00:02:30 the new windows are shown", async () => {
      bench.setGateway(midnight + 85 * SECOND);
      await bench.runTo(midnight + 150 * SECOND);
      expect(await problemsOf(bench)).toEqual([]);
    });
  });

  test("match on the last morning", async () => {
    await bench.leap(START + 4 * DAY + 8 * HOUR);
    await bench.runFor(150 * SECOND);
    expect(await problemsOf(bench)).toEqual([]);
  });

  test("a key that is disabled keeps its values for their time to live, and gets them back", async () => {
    const before = await bench.scraped();
    bench.gateway.disable("search");
    await bench.runFor(70 * SECOND);
    const refused = await bench.scrapedWith('aigateway_key_up{key="search"}', 0);
    expect(refused.get('aigateway_key_unauthorized{key="search"}')).toBe(1);
    const usage = 'aigateway_key_usage_credits{key="search"}';
    expect(before.get(usage)).toBeGreaterThan(0);
    expect(refused.get(usage)).toBe(before.get(usage));

    await bench.runFor(112 * SECOND);
    expect(keyProblems(await bench.scraped(), bench.gateway)).toEqual([]);

    bench.gateway.enable("search");
    await bench.runFor(70 * SECOND);
    expect(await problemsOf(bench)).toEqual([]);
  });
}

/** The differences between Prometheus and the books, after everything was polled once more. */
async function problemsOf(bench: Bench): Promise<readonly string[]> {
  const { gateway } = bench;
  const series = await bench.scrapedAfterPolls();
  const books = QUERIES.map((query) => bookOf(gateway, query));
  return [
    ...keyProblems(series, gateway),
    ...books.flatMap((book) => bookProblems(series, book, TOP, gateway.switches.nullComponents)),
    ...sumProblems(await bench.sums(), gateway),
  ];
}
