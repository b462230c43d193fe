import { array, assert, boolean, integer, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { decimalSum } from "../../../exporter/metrics/decimal-sum.ts";
import { createSpendGuard, type Reservation, type SpendGuard } from "../../../exporter/probes/spend-guard.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** Long enough ago that all of today was spent by this process. */
const LONG_AGO = Date.parse("2026-11-10T00:00:00Z");
const NOON = Date.parse("2026-11-18T12:00:00Z");
const MIDNIGHT = Date.parse("2026-11-19T00:00:00Z");

function setUp(startedMs = LONG_AGO, longestRunMs = MINUTE) {
  return createSpendGuard(
    () => startedMs,
    () => longestRunMs,
  );
}

function reserved(
  guard: SpendGuard,
  startMs: number,
  maxCostCredits = 0.1,
  ceiling = 0.3,
  payer = "a",
): Reservation | undefined {
  return guard.reserve({ payer, startMs, endMs: startMs + MINUTE, maxCostCredits }, ceiling);
}

/** A run of a minute that ends. */
function run(
  guard: SpendGuard,
  startMs: number,
  cost: number | undefined,
  maxCost = 0.1,
  ceiling = 0.3,
): boolean {
  const reservation = reserved(guard, startMs, maxCost, ceiling);
  reservation?.settle(cost, startMs + MINUTE);
  return reservation !== undefined;
}

describe("createSpendGuard: the ceiling", () => {
  test("can be reached exactly, but not exceeded", () => {
    const guard = setUp();
    // 0.1 + 0.1 + 0.1 is more than 0.3 in binary fractions.
    expect([1, 2, 3, 4].map((minute) => run(guard, NOON + minute * 2 * MINUTE, 0.1))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(guard.spent(NOON)).toBe(0.3);
  });

  test("counts the cost of a run if it is known, otherwise the maximum", () => {
    const guard = setUp();
    expect(run(guard, NOON, 0.02)).toBe(true);
    expect(guard.spent(NOON)).toBe(0.02);
    expect(run(guard, NOON, undefined)).toBe(true);
    expect(guard.spent(NOON)).toBe(0.12);
    expect(run(guard, NOON, 0)).toBe(true);
    expect(guard.spent(NOON)).toBe(0.12);
  });

  test("includes the maximum cost of every run in progress", () => {
    const guard = setUp();
    const runs = [1, 2, 3].map(() => reserved(guard, NOON));
    expect(runs.every((reservation) => reservation !== undefined)).toBe(true);
    expect(guard.spent(NOON)).toBe(0.3);
    expect(reserved(guard, NOON)).toBeUndefined();
    runs[0]?.settle(0.01, NOON + MINUTE);
    expect(guard.spent(NOON)).toBe(0.21);
    expect(reserved(guard, NOON)).toBeUndefined();
    runs[1]?.settle(0.01, NOON + MINUTE);
    expect(reserved(guard, NOON)).toBeDefined();
  });

  test("counts a run once, even if it ends twice", () => {
    const guard = setUp();
    const reservation = reserved(guard, NOON);
    reservation?.settle(0.05, NOON + MINUTE);
    reservation?.settle(undefined, NOON + MINUTE);
    expect(guard.spent(NOON)).toBe(0.05);
  });

  test("counts the whole cost of a run that exceeds its maximum", () => {
    const guard = setUp();
    run(guard, NOON, 0.25);
    expect(guard.spent(NOON)).toBe(0.25);
    expect(run(guard, NOON, 0.1)).toBe(false);
  });
});

describe("createSpendGuard: midnight", () => {
  test("starts a new day at 00:00 UTC", () => {
    const guard = setUp();
    run(guard, NOON, 0.3);
    expect(run(guard, MIDNIGHT - 3 * MINUTE, 0.1)).toBe(false);
    expect(guard.spent(MIDNIGHT - 1)).toBe(0.3);
    expect(guard.spent(MIDNIGHT)).toBe(0);
    expect(run(guard, MIDNIGHT + MINUTE, 0.1)).toBe(true);
  });

  test("a run that spans it counts in both days, while it runs and when it has ended", () => {
    const guard = setUp();
    const reservation = reserved(guard, MIDNIGHT - MINUTE / 2);
    expect([guard.spent(NOON), guard.spent(MIDNIGHT)]).toEqual([0.1, 0.1]);
    reservation?.settle(0.07, MIDNIGHT + MINUTE / 2);
    expect([guard.spent(NOON), guard.spent(MIDNIGHT)]).toEqual([0.07, 0.07]);
  });

  test("a run that may span it must fit into both days, even when the clock was set back", () => {
    const guard = setUp();
    expect(run(guard, MIDNIGHT + 10 * MINUTE, 0.3)).toBe(true);
    expect(run(guard, MIDNIGHT - MINUTE / 2, 0.1)).toBe(false);
    expect(run(guard, MIDNIGHT - 10 * MINUTE, 0.3)).toBe(true);
    expect(run(guard, MIDNIGHT - 5 * MINUTE, 0.1)).toBe(false);
  });

  test.each([
    ["just before", MIDNIGHT - MINUTE - 4000, [0.1, 0.1]],
    ["just after", MIDNIGHT + 4000, [0.1, 0.1]],
    ["well before", MIDNIGHT - MINUTE - 6000, [0.1, 0]],
    ["well after", MIDNIGHT + 6000, [0, 0.1]],
  ])("the clocks may be some seconds off: a run %s", (_, startMs, spent) => {
    const guard = setUp();
    run(guard, startMs, 0.1);
    expect([guard.spent(NOON), guard.spent(MIDNIGHT)]).toEqual(spent);
  });
});

describe("createSpendGuard: a restart", () => {
  const started = NOON;

  test("requires the usage of the keys on that day, and counts it", () => {
    const guard = setUp(started);
    expect(guard.missing(["a", "b"], NOON + 3 * MINUTE)).toEqual(["a", "b"]);
    guard.learn("a", 0.05, NOON + 3 * MINUTE);
    expect(guard.missing(["a", "b"], NOON + 3 * MINUTE)).toEqual(["b"]);
    guard.learn("b", 0.1, NOON + 3 * MINUTE);
    expect(guard.missing(["a", "b"], NOON + 3 * MINUTE)).toEqual([]);
    expect(guard.spent(NOON)).toBe(0.15);
    expect([1, 2].map(() => run(guard, NOON + 4 * MINUTE, 0.1))).toEqual([true, false]);
  });

  test("an answer is complete once the last run of the previous process has ended and the day has settled", () => {
    expect(setUp(started, 2 * MINUTE).completeFromMs(NOON)).toBe(NOON + 2 * MINUTE + 90_000);
    expect(setUp(MIDNIGHT - 10 * MINUTE).completeFromMs(MIDNIGHT + 1000)).toBe(MIDNIGHT + 90_000);
  });

  test.each([
    ["the day of the start", started, NOON + DAY / 4, false],
    ["the day after", started, NOON + DAY, true],
    ["the day after a start right before midnight", MIDNIGHT - 100_000, MIDNIGHT + DAY / 2, false],
    ["the day after a start that long before midnight", MIDNIGHT - 150_000, MIDNIGHT + DAY / 2, true],
  ])("only a day that began later was counted from its start: %s", (_, startedMs, atMs, hasCountedAll) => {
    expect(setUp(startedMs).hasCountedAll(atMs)).toBe(hasCountedAll);
    expect(setUp(startedMs).missing(["a"], atMs)).toEqual(["a"]);
  });

  test("usage counts in its own day only", () => {
    const guard = setUp(MIDNIGHT - 100_000);
    guard.learn("a", 0.2, MIDNIGHT - 1000);
    expect(guard.missing(["a"], MIDNIGHT)).toEqual(["a"]);
    expect(guard.spent(MIDNIGHT)).toBe(0);
  });

  test("a refund does not permit more spend", () => {
    const guard = setUp(started);
    guard.learn("a", -5, NOON);
    expect(guard.spent(NOON)).toBe(0);
  });
});

describe("createSpendGuard: many runs", () => {
  test("add up exactly, in the day of each", () => {
    const guard = setUp();
    for (let second = 0; second < 1000; second++) {
      const startMs = MIDNIGHT - 500_000 + second * 1000;
      guard.reserve({ payer: "a", startMs, endMs: startMs, maxCostCredits: 0.1 }, 1000)?.settle(0.1, startMs);
    }
    // Five seconds before and after midnight count in both days.
    expect([guard.spent(MIDNIGHT - 1), guard.spent(MIDNIGHT)]).toEqual([50.5, 50.5]);
  });
});

describe("createSpendGuard: another payer", () => {
  test("needs its own usage, and what the former one was charged stays counted", () => {
    const guard = setUp(NOON);
    guard.learn("a", 0.05, NOON + 3 * MINUTE);
    run(guard, NOON + 4 * MINUTE, 0.1);
    expect(guard.missing(["b"], NOON + 6 * MINUTE)).toEqual(["b"]);
    guard.learn("b", 0.02, NOON + 6 * MINUTE);
    expect([guard.missing(["a", "b"], NOON + 6 * MINUTE), guard.spent(NOON + 6 * MINUTE)]).toEqual([
      [],
      0.17,
    ]);
  });
});

describe("createSpendGuard: a step of the clock", () => {
  const HOUR = 60 * MINUTE;

  /** A guard on a clock that was stepped by `offset.ms` since its start at noon. */
  function stepped() {
    const offset = { ms: 0 };
    const guard = createSpendGuard(
      () => NOON + offset.ms,
      () => MINUTE,
    );
    return { guard, offset };
  }

  test.each([
    ["forward within the day", 3 * HOUR],
    ["forward over midnight", 13 * HOUR],
    ["back within the day", -3 * HOUR],
    ["back over midnight", -13 * HOUR],
    ["forward by some seconds", 2000],
  ])("%s: the usage must be read again", (_, ms) => {
    const { guard, offset } = stepped();
    guard.learn("a", 0.05, NOON + 3 * MINUTE);
    run(guard, NOON + 4 * MINUTE, 0.1);
    offset.ms = ms;
    const now = NOON + HOUR + ms;
    expect(guard.missing(["a"], now)).toEqual(["a"]);
    expect(guard.completeFromMs(now)).toBeGreaterThanOrEqual(now + 150_000);
    guard.learn("a", 0.2, now + 150_000);
    expect([guard.missing(["a"], now + 150_000), guard.spent(now + 150_000)]).toEqual([[], 0.2]);
  });

  test("a correction within the skew changes nothing", () => {
    const { guard, offset } = stepped();
    guard.learn("a", 0.05, NOON);
    offset.ms = 900;
    expect([guard.missing(["a"], NOON + HOUR), guard.spent(NOON + HOUR)]).toEqual([[], 0.05]);
  });

  test("corrections add up", () => {
    const { guard, offset } = stepped();
    guard.learn("a", 0.05, NOON);
    const missing = [600, 1200].map((ms) => {
      offset.ms = ms;
      return guard.missing(["a"], NOON + HOUR);
    });
    expect(missing).toEqual([[], ["a"]]);
  });

  test.each([
    ["forward over midnight", 13 * HOUR, [NOON, MIDNIGHT + HOUR]],
    ["back over midnight", -13 * HOUR, [NOON, NOON - 13 * HOUR]],
  ])("%s: a run in progress counts in both days", (_, ms, days) => {
    const { guard, offset } = stepped();
    const reservation = reserved(guard, NOON);
    offset.ms = ms;
    expect(days.map((day) => guard.spent(day))).toEqual([0.1, 0.1]);
    reservation?.settle(0.07, NOON + ms + MINUTE);
    expect(days.map((day) => guard.spent(day))).toEqual([0, 0.07]);
  });

  test.each([
    ["forward", 3 * HOUR],
    ["back", -3 * HOUR],
  ])("%s: what another payer was charged today stays counted", (_, ms) => {
    const { guard, offset } = stepped();
    guard.learn("a", 0.05, NOON + 3 * MINUTE);
    run(guard, NOON + 4 * MINUTE, 0.1, 0.1, 1);
    guard.learn("b", 0.02, NOON + 6 * MINUTE);
    reserved(guard, NOON + 7 * MINUTE, 0.1, 1, "b")?.settle(0.03, NOON + 8 * MINUTE);
    expect(guard.spent(NOON + 8 * MINUTE)).toBe(0.2);
    offset.ms = ms;
    const now = NOON + HOUR + ms;
    expect(guard.missing(["b"], now)).toEqual(["b"]);
    guard.learn("b", 0.06, now);
    expect([guard.missing(["b"], now), guard.spent(now)]).toEqual([[], 0.21]);
    guard.learn("a", 0.16, now);
    expect(guard.spent(now)).toBe(0.22);
  });

  test("over midnight and back again: what was charged stays counted", () => {
    const { guard, offset } = stepped();
    guard.learn("a", 0.05, NOON);
    run(guard, NOON + MINUTE, 0.1, 0.1, 1);
    offset.ms = 13 * HOUR;
    const next = NOON + 13 * HOUR + 5 * MINUTE;
    expect(guard.missing(["b"], next)).toEqual(["b"]);
    guard.learn("b", 0, next);
    reserved(guard, next, 0.1, 1, "b")?.settle(0.1, next + MINUTE);
    offset.ms = 0;
    const back = NOON + 10 * MINUTE;
    expect(guard.missing(["b"], back)).toEqual(["b"]);
    expect(guard.spent(back)).toBe(0.25);
  });
});

describe("createSpendGuard: any sequence of runs and restarts", () => {
  interface Step {
    readonly waitSeconds: number;
    readonly durationSeconds: number;
    readonly costShare: number;
    readonly isKnown: boolean;
    readonly isKilled: boolean;
  }
  const steps = array(
    record<Step>({
      waitSeconds: integer({ min: 0, max: 40_000 }),
      durationSeconds: integer({ min: 0, max: 60 }),
      costShare: integer({ min: 0, max: 10 }),
      isKnown: boolean(),
      isKilled: boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  );

  test.each([-4, 0, 4])(
    "no day of a gateway whose clock is %i s off is charged beyond the ceiling",
    (skew) => {
      assert(
        property(steps, integer({ min: 1, max: 50 }), (plan, ceilingCents) => {
          const books = new Map<number, number>();
          let guard = setUp();
          let nowMs = NOON;
          for (const step of plan) {
            nowMs += step.waitSeconds * 1000;
            if (step.isKilled) {
              // A new process waits until the books contain all runs of the old one.
              guard = setUp(nowMs);
              nowMs = guard.completeFromMs(nowMs);
            }
            if (guard.missing(["a"], nowMs).length > 0) {
              nowMs = guard.completeFromMs(nowMs);
              guard.learn("a", books.get(Math.floor((nowMs + skew * 1000) / DAY)) ?? 0, nowMs);
            }
            const reservation = reserved(guard, nowMs, 0.1, ceilingCents / 100);
            if (!reservation) continue;
            nowMs += step.durationSeconds * 1000;
            const cost = step.costShare / 100;
            const day = Math.floor((nowMs + skew * 1000) / DAY);
            books.set(day, decimalSum([books.get(day) ?? 0, cost]));
            if (!step.isKilled) reservation.settle(step.isKnown ? cost : undefined, nowMs);
          }
          for (const charged of books.values()) expect(charged).toBeLessThanOrEqual(ceilingCents / 100);
        }),
        { numRuns: 300 },
      );
    },
  );
});
