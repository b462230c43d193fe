import { describe, expect, test } from "vitest";
import { keyCollector } from "../../../exporter/collectors/key.ts";
import type { Collector, Target } from "../../../exporter/collectors/collector.ts";
import { createRounds } from "../../../exporter/schedule/rounds.ts";
import { createStatuses } from "../../../exporter/readings/statuses.ts";
import { createTicker } from "../../../exporter/time/ticker.ts";
import { createManualClock } from "../../support/clock.ts";
import { silentLog } from "../../support/log.ts";

const MINUTE = 60_000;
const random = () => 0.5;
const collector: Collector = { ...keyCollector, families: [] };

function target(id: string, minIntervalMs = 0, fingerprint = ""): Target {
  return {
    id,
    title: id,
    minIntervalMs,
    fingerprint,
    constants: [],
    poll: () => Promise.resolve({ samples: [] }),
    describe: () => [],
  };
}

/** Rounds over a poller that answers at once, and writes down who was polled when, in seconds after the start. */
function setUp({
  start = "2026-11-18T12:00:00Z",
  targets = ["a", "b", "c", "d"].map((id) => target(id)),
  intervalMs = MINUTE,
  requestsPerMinute = 0,
  ended = () => Promise.resolve(),
} = {}) {
  const clock = createManualClock(start);
  const statuses = createStatuses(clock);
  for (const { id } of targets) statuses.add(id);
  const polls: [string, number][] = [];
  const lives: number[] = [];
  const begin = clock.monotonic();
  const poller = {
    poll: (_: Collector, { id }: Target, timeToLiveMs: number) => {
      polls.push([id, (clock.monotonic() - begin) / 1000]);
      lives.push(timeToLiveMs);
      statuses.update(id, { attempted: true, lastAttemptMs: clock.now(), lastAnswerMs: clock.now() });
      return ended();
    },
    cancel: () => {},
    stop: () => {},
  };
  const ticker = createTicker({ kind: "interval", ms: intervalMs }, clock, silentLog);
  const rounds = createRounds(
    collector,
    targets,
    ticker,
    { requestsPerMinute, connections: 4 },
    {
      clock,
      random,
      poller,
      statuses,
    },
  );
  /** Who was polled since the last look. */
  const polled = () => polls.splice(0);
  return { clock, rounds, polled, lives, statuses };
}

describe("rounds", () => {
  test("more keys than connections can ask do not wait with a poll each", async () => {
    const ends: (() => void)[] = [];
    const { clock, rounds, polled } = setUp({
      targets: Array.from({ length: 100 }, (_, index) => target(String(index))),
      ended: () => new Promise((resolve) => ends.push(resolve)),
    });
    rounds.start();
    expect(polled()).toHaveLength(100);
    for (const end of ends.splice(0)) end();
    await clock.advance(2 * MINUTE);
    const first = polled().map(([id]) => id);
    // Four connections, and sixteen that are ready.
    expect(first).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
    for (const end of ends.splice(0, 3)) end();
    await clock.advance(0);
    expect(polled().map(([id]) => id)).toEqual(["20", "21", "22"]);
    // Whoever is polled for another reason needs no place any more.
    void rounds.pollAll();
    expect(polled()).toHaveLength(100);
    for (const end of ends.splice(0)) end();
    await clock.advance(0);
    expect(polled()).toEqual([]);
    rounds.stop();
    for (const end of ends.splice(0)) end();
    await clock.advance(0);
    expect(polled()).toEqual([]);
  });

  test("the first round is at once, the others are spread over their interval with jitter", async () => {
    const { clock, rounds, polled } = setUp();
    rounds.start();
    expect(polled().map(([id]) => id)).toEqual(["a", "b", "c", "d"]);
    await clock.advance(2 * MINUTE - 1);
    expect(polled()).toEqual([
      ["a", 67.5],
      ["b", 82.5],
      ["c", 97.5],
      ["d", 112.5],
    ]);
    rounds.stop();
    expect(clock.pending()).toEqual([]);
  });

  test("a round that comes once a day is spread over five minutes only", async () => {
    const { clock, rounds, polled } = setUp({ start: "2026-11-18T00:10:00Z", intervalMs: 12 * 60 * MINUTE });
    rounds.start();
    polled();
    await clock.advance(12 * 60 * MINUTE + 5 * MINUTE);
    expect(polled().map(([, at]) => at - 12 * 3600)).toEqual([37.5, 112.5, 187.5, 262.5]);
  });

  test("every target is polled once more as soon as a new UTC day has settled", async () => {
    const { clock, rounds, polled } = setUp({ start: "2026-11-18T23:00:00Z", intervalMs: 6 * 60 * MINUTE });
    rounds.start();
    polled();
    await clock.advanceTo(Date.parse("2026-11-19T00:01:29.999Z"));
    expect(polled()).toEqual([]);
    await clock.advance(1);
    expect(polled().map(([id]) => id)).toEqual(["a", "b", "c", "d"]);
    await clock.advance(MINUTE);
    expect(polled()).toEqual([]);
  });

  test("a start within the settle time is followed by that poll, too", async () => {
    const { clock, rounds, polled } = setUp({ start: "2026-11-19T00:00:10Z", intervalMs: 60 * MINUTE });
    rounds.start();
    polled();
    await clock.advance(80_000);
    expect(polled()).toHaveLength(4);
  });

  test("a process that slept over midnight polls as soon as it wakes", async () => {
    const { clock, rounds, polled } = setUp({ start: "2026-11-18T23:00:00Z", intervalMs: 24 * 60 * MINUTE });
    rounds.start();
    polled();
    await clock.jump(Date.parse("2026-11-19T05:00:00Z"));
    expect(polled().map(([id]) => id)).toEqual(["a", "b", "c", "d"]);
  });

  test("a wall clock that is set over midnight is noticed within half a minute", async () => {
    const { clock, rounds, polled } = setUp({ start: "2026-11-18T23:00:00Z", intervalMs: 24 * 60 * MINUTE });
    rounds.start();
    polled();
    clock.set(Date.parse("2026-11-19T05:00:00Z"));
    await clock.advance(30_000);
    expect(polled()).toHaveLength(4);
  });

  test("a target with a longer interval of its own is left out until that has passed", async () => {
    const { clock, rounds, polled } = setUp({
      start: "2026-11-18T12:00:00Z",
      targets: [target("often"), target("hourly", 60 * MINUTE)],
      intervalMs: 5 * MINUTE,
    });
    rounds.start();
    polled();
    await clock.advance(64 * MINUTE);
    const ids = polled().map(([id]) => id);
    expect(ids.filter((id) => id === "often")).toHaveLength(12);
    expect(ids.filter((id) => id === "hourly")).toHaveLength(1);
  });

  test("a clock that was a year ahead does not put off a target with a longer interval for a year", async () => {
    const { clock, rounds, polled } = setUp({
      start: "2027-11-18T12:00:00Z",
      targets: [target("hourly", 60 * MINUTE)],
      intervalMs: 5 * MINUTE,
    });
    rounds.start();
    polled();
    clock.set(Date.parse("2026-11-18T12:00:00Z"));
    await clock.advance(10 * MINUTE);
    expect(polled()).toHaveLength(1);
    await clock.advance(60 * MINUTE);
    expect(polled()).toHaveLength(1);
    rounds.stop();
  });

  test("values live three intervals, of the schedule, the target, or the pace, whichever is longest", () => {
    const bySchedule = setUp();
    bySchedule.rounds.start();
    expect(bySchedule.lives[0]).toBe(3 * MINUTE);
    const byTarget = setUp({ targets: [target("hourly", 60 * MINUTE)] });
    byTarget.rounds.start();
    expect(byTarget.lives[0]).toBe(180 * MINUTE);
    const byPace = setUp({
      targets: Array.from({ length: 100 }, (_, each) => target(`${each}`)),
      requestsPerMinute: 20,
    });
    byPace.rounds.start();
    expect([byPace.rounds.intervalMs(), byPace.lives[0]]).toEqual([5 * MINUTE, 15 * MINUTE]);
  });

  test("lagMs() is how long the target that waited longest is overdue", async () => {
    const { clock, rounds, statuses } = setUp();
    expect(rounds.lagMs()).toBe(0);
    await clock.advance(MINUTE);
    expect(rounds.lagMs()).toBe(0);
    await clock.advance(1000);
    expect(rounds.lagMs()).toBe(1000);
    for (const id of ["a", "b", "c"]) statuses.update(id, { lastAttemptMs: clock.now() });
    expect(rounds.lagMs()).toBe(1000);
    statuses.update("d", { lastAttemptMs: clock.now() });
    expect(rounds.lagMs()).toBe(0);
  });

  describe("adopt()", () => {
    test("leaves unchanged targets their places, and polls only new and changed ones at once", async () => {
      const { clock, rounds, polled } = setUp();
      rounds.start();
      await clock.advance(70_000);
      polled();
      rounds.adopt([target("a"), target("b"), target("c", 0, "another secret"), target("e")], undefined);
      expect(polled()).toEqual([
        ["c", 70],
        ["e", 70],
      ]);
      await clock.advance(50_000);
      // "b" as planned; "c" had its turn, and "d" is gone.
      expect(polled()).toEqual([["b", 82.5]]);
      await clock.advance(MINUTE);
      expect(polled().map(([id]) => id)).toEqual(["a", "b", "c", "e"]);
    });

    test("a thousand times in a minute polls nobody once more", async () => {
      const { clock, rounds, polled } = setUp();
      rounds.start();
      await clock.advance(MINUTE);
      polled();
      for (let time = 0; time < 1000; time++) {
        rounds.adopt(
          ["a", "b", "c", "d"].map((id) => target(id)),
          undefined,
        );
        await clock.advance(59);
      }
      expect(seconds(polled())).toEqual([67.5, 82.5, 97.5, 112.5]);
    });

    test("with another ticker polls all and goes by that", async () => {
      const { clock, rounds, polled } = setUp();
      rounds.start();
      await clock.advance(70_000);
      polled();
      const ticker = createTicker({ kind: "interval", ms: 10 * MINUTE }, clock, silentLog);
      rounds.adopt(
        ["a", "b"].map((id) => target(id)),
        ticker,
      );
      expect(seconds(polled())).toEqual([70, 70]);
      await clock.advance(15 * MINUTE);
      expect(seconds(polled())).toEqual([70 + 600 + 75, 70 + 600 + 225]);
      rounds.stop();
      expect(clock.pending()).toEqual([]);
    });

    test("before the start and after the stop begins nothing", async () => {
      const { clock, rounds, polled } = setUp();
      const ticker = createTicker({ kind: "interval", ms: MINUTE }, clock, silentLog);
      rounds.adopt([target("z")], ticker);
      rounds.start();
      rounds.stop();
      rounds.adopt([target("y")], ticker);
      expect(polled().map(([id]) => id)).toEqual(["z"]);
      expect(clock.pending()).toEqual([]);
    });
  });
});

function seconds(polled: readonly (readonly [string, number])[]): readonly number[] {
  return polled.map(([, at]) => at);
}
