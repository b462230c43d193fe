import { expect, test } from "vitest";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import type { PairUsage, UsageReading } from "../../../exporter/readings/reading.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { createSpendHours } from "../../../exporter/status/spend-hours.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY_QUERY = targetId("analytics", "day");

/** A recorder beside real readings, in which a test puts answers of the query of the day. */
function setUp(start: string) {
  const clock = createManualClock(start);
  const readings = createReadings(clock, createPacking(), () => 1e9);
  const hours = createSpendHours({ clock, readings });
  readings.configure(DAY_QUERY, "gateway");
  hours.start();
  const answer = (
    credits: number | undefined,
    pairs: readonly [model: string, app: string, credits: number | undefined][] = [],
    more: Partial<UsageReading> = {},
  ) => {
    const window = windowAt("day", clock.now());
    const value: UsageReading = {
      kind: "usage",
      window,
      range: { startMs: window.startMs, endMs: clock.now() },
      dataMs: clock.now(),
      credits,
      requests: undefined,
      pairs: pairs.map(([model, app, amount]): PairUsage => ({ model, app, credits: amount, requests: 1 })),
      foldedPairs: 0,
      truncated: false,
      spend: undefined,
      exceedsTotal: false,
      ...more,
    };
    readings.update(DAY_QUERY, { up: true });
    readings.learn(
      DAY_QUERY,
      { value, askedAtMs: clock.now(), asOfMs: clock.now(), timeToLiveMs: 2 * HOUR },
      [],
    );
  };
  return {
    clock,
    readings,
    answer,
    /** Answers every five minutes, with what was spent since 00:00 UTC. */
    answerFor: async (ms: number, spent: (minuteOfDay: number) => number) => {
      for (const end = clock.now() + ms; clock.now() < end;) {
        answer(spent((clock.now() - windowAt("day", clock.now()).startMs) / MINUTE));
        await clock.advance(5 * MINUTE);
      }
    },
    total: () => hours.of("model", clock.now())?.total,
    of: (axis: "model" | "app", name: string) => hours.of(axis, clock.now())?.byName.get(name),
  };
}

test("an hour is what was spent between the last answers of two hours, the first one from the start on", async () => {
  const { answerFor, total } = setUp("2026-11-18T02:20:00Z");
  // 1 credit a minute until 04:00, then 2.
  await answerFor(3 * HOUR, (minute) => minute + Math.max(0, minute - 240));
  expect(total()).toEqual([undefined, undefined, 40, 60, 120, 30]);
});

test("the first hour of the day is whole, whenever the exporter has started in it", async () => {
  const { answerFor, total } = setUp("2026-11-18T00:40:00Z");
  await answerFor(HOUR, (minute) => minute);
  expect(total()).toEqual([60, 35]);
});

test("hours are unknown if nothing was answered near their beginning or end", async () => {
  const { clock, answerFor, total } = setUp("2026-11-18T00:10:00Z");
  await answerFor(HOUR, (minute) => minute);
  await clock.advance(70 * MINUTE);
  await answerFor(2 * HOUR, (minute) => minute);
  expect(total()).toEqual([60, undefined, undefined, 60, 15]);
});

test("a new day begins with its own hours", async () => {
  const { clock, answerFor, total } = setUp("2026-11-18T22:30:00Z");
  await answerFor(100 * MINUTE, (minute) => minute);
  expect(total()).toEqual([5]);
  await clock.advance(24 * HOUR);
  expect(total()).toBeUndefined();
});

test("models and apps have what their pairs spent", async () => {
  const { clock, answer, of } = setUp("2026-11-18T00:50:00Z");
  answer(3, [
    ["one", "chat", 1],
    ["one", "search", 2],
  ]);
  await clock.advance(HOUR);
  answer(10, [
    ["one", "chat", 4],
    ["two", "chat", 3],
    ["one", "search", 2],
    ["_other", "_other", 1],
  ]);
  await clock.advance(MINUTE);
  expect(of("model", "one")).toEqual([3, 3]);
  expect(of("model", "two")).toEqual([0, 3]);
  expect(of("app", "chat")).toEqual([1, 6]);
  expect(of("model", "_other")).toBeUndefined();
});

test.each<[string, Partial<UsageReading>, readonly [string, string, number][]]>([
  ["some pairs were not named", { foldedPairs: 2 }, []],
  ["the answer was cut", { truncated: true }, []],
  ["the answer had a remainder", {}, [["_other", "_other", 5]]],
])("a pair that appears after an hour in which %s counts from then on", async (_, more, rest) => {
  const { clock, answer, of } = setUp("2026-11-18T00:50:00Z");
  answer(6, [["one", "chat", 1], ...rest], more);
  await clock.advance(HOUR);
  answer(8, [
    ["one", "chat", 2],
    ["one", "search", 6],
  ]);
  await clock.advance(HOUR);
  answer(11, [
    ["one", "chat", 2],
    ["one", "search", 9],
  ]);
  await clock.advance(MINUTE);
  expect(of("model", "one")).toEqual([1, 1, 3]);
});

test("amounts that the gateway leaves out are unknown, not 0", async () => {
  const { clock, answer, total, of } = setUp("2026-11-18T00:50:00Z");
  answer(undefined, [["one", "chat", undefined]]);
  await clock.advance(HOUR);
  answer(8, [["one", "chat", 2]]);
  await clock.advance(MINUTE);
  expect(total()).toEqual([undefined, undefined]);
  expect(of("model", "one")).toBeUndefined();
});

test("the hours of another gateway or secret are forgotten at once", async () => {
  const { clock, readings, answerFor, total } = setUp("2026-11-18T00:10:00Z");
  await answerFor(HOUR, (minute) => minute);
  readings.configure(DAY_QUERY, "another gateway");
  expect(total()).toBeUndefined();
  await clock.advance(MINUTE);
  expect(total()).toBeUndefined();
});

test("an answer just after midnight, which may still belong to the day before, does not count", async () => {
  const { clock, answer, total } = setUp("2026-11-18T23:59:00Z");
  await clock.advance(90_000);
  answer(500);
  await clock.advance(MINUTE / 2);
  expect(total()).toBeUndefined();
  await clock.advance(2 * MINUTE);
  answer(3);
  await clock.advance(MINUTE / 2);
  expect(total()).toEqual([3]);
});

test("what was answered before the clock was set back is not taken for a later hour", async () => {
  const { clock, answer, total } = setUp("2026-11-18T04:50:00Z");
  answer(40);
  await clock.advance(MINUTE);
  clock.set(clock.now() - 2 * HOUR);
  answer(42);
  await clock.advance(2 * HOUR + 14 * MINUTE);
  answer(50);
  await clock.advance(MINUTE);
  expect(total()).toEqual(Array.from({ length: 6 }, () => undefined));
});

test("a clock that is set back takes the hours behind it away", async () => {
  const { clock, answer, total } = setUp("2026-11-18T03:50:00Z");
  answer(30);
  await clock.advance(HOUR);
  answer(40);
  await clock.advance(MINUTE);
  expect(total()).toEqual([undefined, undefined, undefined, undefined, 10]);
  clock.set(clock.now() - 2 * HOUR);
  expect(total()).toBeUndefined();
  await clock.advance(MINUTE);
  answer(42);
  await clock.advance(MINUTE);
  expect(total()).toEqual([undefined, undefined, undefined]);
});
