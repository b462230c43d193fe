import { describe, expect, test } from "vitest";
import { createBookHistory } from "./book-history.ts";
import { missingValues, type Truth, wrongValues } from "./check-keys.ts";
import { FIGURES } from "./figures.ts";
import { readScrape } from "./scrape.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const MIDNIGHT = Date.UTC(2026, 10, 19);
const TIME_TO_LIVE_MS = 180_000;

/** The figures of a key with a daily limit of 10 credits that has spent only today. */
function figures(spent: number): (number | null)[] {
  const byMetric: Readonly<Record<string, number>> = {
    usage_credits: spent,
    usage_day_credits: spent,
    limit_credits: 10,
    limit_remaining_credits: 10 - spent,
    unlimited: 0,
  };
  return FIGURES.map(({ metric }) => byMetric[metric] ?? 0);
}

/** Books with the value 1 for a minute from an instant, then 2. */
function booksFrom(at: number, answeredAt = at) {
  const history = createBookHistory(600_000);
  const message = (since: number, spent: number, answers: [string, number][]) =>
    history.take({
      type: "books",
      at: since,
      since,
      states: [{ key: "billing", figures: figures(spent) }],
      answers,
      dayMicros: 0,
    });
  message(at, 1, [["billing", answeredAt]]);
  message(at + 60_000, 2, []);
  const truth: Truth = {
    history,
    timeToLiveMs: TIME_TO_LIVE_MS,
    analyticsTimeToLiveMs: TIME_TO_LIVE_MS,
    resetOf: () => "daily",
    gone: new Set(),
    away: new Set(),
  };
  return truth;
}

function scrapeAt(at: number, spent: number, successAt: number, more = "") {
  const values = FIGURES.flatMap(({ metric }, index) => about(metric, figures(spent)[index] ?? 0));
  return readScrape(
    `# TYPE x gauge\n${values.join("")}${about("last_success_timestamp_seconds", successAt / 1000)}${about("up", 1)}${more}`,
    at,
    at + 50,
  );
}

function about(metric: string, value: number): string {
  return `aigateway_key_${metric}{key="billing"} ${value}\n`;
}

describe("wrongValues()", () => {
  test.each([
    ["the value of now", 90_000, 2],
    ["a value that was replaced less than a time to live ago", 200_000, 1],
    ["both values at the instant between", 60_000, 1],
  ])("takes %s", (_what, afterMs, spent) => {
    const truth = booksFrom(NOON, NOON + afterMs - 1000);
    expect(wrongValues(scrapeAt(NOON + afterMs, spent, NOON + afterMs - 1000), truth)).toEqual([]);
  });

  test("finds a value that was replaced longer than a time to live ago", () => {
    const at = NOON + 60_000 + TIME_TO_LIVE_MS + 2000;
    expect(wrongValues(scrapeAt(at, 1, at), booksFrom(NOON, at - 1000))).toEqual([
      expect.stringContaining("billing has usage_credits 1, the books 2"),
    ]);
  });

  test("finds a value that never existed", () => {
    const at = NOON + 30_000;
    expect(wrongValues(scrapeAt(at, 1.5, at), booksFrom(NOON))).toEqual([
      expect.stringContaining("usage_day_credits 1.5"),
    ]);
  });

  test("finds values of a key that has not answered for longer than its time to live", () => {
    const at = NOON + TIME_TO_LIVE_MS + 2000;
    const [problem] = wrongValues(scrapeAt(at, 2, NOON + 60_000), booksFrom(NOON));
    expect(problem).toBe("billing has values, but its last answer is 182000 ms old");
  });

  test("finds values of one key from two times", () => {
    const at = NOON + 90_000;
    const mixed = scrapeAt(at, 2, at).keys.get("billing") ?? new Map<string, number>();
    const keys = new Map([["billing", new Map([...mixed, ["usage_day_credits", 1]])]]);
    expect(wrongValues({ ...scrapeAt(at, 2, at), keys }, booksFrom(NOON))).toEqual([
      "billing has values of different times, or of a window that has ended",
    ]);
  });

  test("finds values of a day that has ended, though they are younger than their time to live", () => {
    const truth = booksFrom(MIDNIGHT - 90_000, MIDNIGHT - 1000);
    truth.history.take({
      type: "books",
      at: MIDNIGHT,
      since: MIDNIGHT,
      states: [{ key: "billing", figures: figures(0) }],
      answers: [],
      dayMicros: 0,
    });
    expect(wrongValues(scrapeAt(MIDNIGHT - 1, 2, MIDNIGHT - 1000), truth)).toEqual([]);
    expect(wrongValues(scrapeAt(MIDNIGHT + 1, 2, MIDNIGHT - 1000), truth)).toEqual([
      "billing has values of different times, or of a window that has ended",
    ]);
  });

  test("finds another reset of the limit, a removed key, and one that never existed", () => {
    const [at, truth] = [NOON + 1000, booksFrom(NOON)];
    const state = 'aigateway_key_limit_reset{key="billing",aigateway_key_limit_reset="weekly"} 1\n';
    expect(wrongValues(scrapeAt(at, 1, at, state), truth)).toEqual([
      "billing has limit_reset weekly, the books daily",
    ]);
    expect(wrongValues(scrapeAt(at, 1, at), { ...truth, gone: new Set(["billing"]) })).toHaveLength(1);
    const stranger = 'aigateway_key_up{key="stranger"} 1\n';
    expect(wrongValues(scrapeAt(at, 1, at, stranger), truth)).toEqual([
      "stranger is not a key of the gateway",
    ]);
  });
});

describe("missingValues()", () => {
  test.each([
    ['aigateway_key_up{key="billing"} 1\n', "billing has no values"],
    ["", "billing is not shown"],
  ])("finds missing values %#", (text, problem) => {
    expect(missingValues(readScrape(text, 0, 0), ["billing"], 0)).toEqual([problem]);
  });

  test("finds a key that has not succeeded since the last fault ended", () => {
    const scrape = scrapeAt(NOON, 1, NOON - 5000);
    expect(missingValues(scrape, ["billing"], NOON - 4000)).toEqual(["billing has failed for 5000 ms"]);
    expect(missingValues(scrape, ["billing"], NOON - 6000)).toEqual([]);
  });
});
