import { describe, expect, test } from "vitest";
import type { Ticket } from "../../../exporter/gateway/http.ts";
import { createPace, PausedError } from "../../../exporter/schedule/pace.ts";
import { createManualClock } from "../../support/clock.ts";

const MINUTE = 60_000;

function setUp({ perMinute = 0, connections = 64 } = {}) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const pace = createPace(clock, {
    perMinute: { key: perMinute, analytics: 60, transcription: 0 },
    intervalMs: () => MINUTE,
    connections,
    maxPauseMs: 5 * MINUTE,
  });
  const { signal } = new AbortController();
  const admit = (target: string) => pace.admit("key", target, signal);
  /** What becomes of asking for a turn: `yes` or `paused`, without waiting for the clock. */
  const ask = async (target: string, answer: "good" | "throttled" = "good", hintMs?: number) => {
    try {
      const ticket = await admit(target);
      ticket.done({ throttled: answer === "throttled", hintMs });
      return "yes";
    } catch (error) {
      if (error instanceof PausedError) return "paused";
      throw error;
    }
  };
  const until = () => pace.throttledUntil().get("key");
  return { clock, pace, admit, ask, until };
}

describe("pace", () => {
  test("spreads the requests of an endpoint evenly, without a burst after a pause", async () => {
    const { clock, admit } = setUp({ perMinute: 600 });
    const start = clock.monotonic();
    const times: number[] = [];
    const record = (ticket: Ticket) => {
      times.push(clock.monotonic() - start);
      ticket.done({ throttled: false });
    };
    const first = ["a", "b", "c"].map((target) => admit(target).then(record));
    await clock.advance(10_000);
    const second = ["a", "b"].map((target) => admit(target).then(record));
    await clock.advance(10_000);
    await Promise.all([...first, ...second]);
    expect(times).toEqual([0, 100, 200, 10_000, 10_100]);
  });

  test("counts endpoints apart, and 0 is unpaced", async () => {
    const { clock, pace } = setUp();
    const { signal } = new AbortController();
    const turns = [1, 2, 3].map((each) => pace.admit("key", `key/${each}`, signal));
    await Promise.all(turns);
    const analytics = Promise.all([
      pace.admit("analytics", "a", signal),
      pace.admit("analytics", "b", signal),
    ]);
    await clock.advance(999);
    await expect(Promise.race([analytics, Promise.resolve("waits")])).resolves.toBe("waits");
    await clock.advance(1);
    await expect(analytics).resolves.toHaveLength(2);
  });

  test("lets no more than `connections` be under way, in the order of asking", async () => {
    const { admit } = setUp({ connections: 2 });
    const order: string[] = [];
    const tickets = ["a", "b", "c", "d"].map(async (target) => {
      const ticket = await admit(target);
      order.push(target);
      return ticket;
    });
    const first = await tickets[0];
    await tickets[1];
    expect(order).toEqual(["a", "b"]);
    first?.done({ throttled: false });
    first?.done({ throttled: false });
    (await tickets[2])?.done({ throttled: false });
    await tickets[3];
    expect(order).toEqual(["a", "b", "c", "d"]);
  });

  test("an aborted wait gives its place to the next", async () => {
    const { pace, admit } = setUp({ connections: 1 });
    const ticket = await admit("a");
    const aborter = new AbortController();
    const aborted = pace.admit("key", "b", aborter.signal);
    const next = admit("c");
    aborter.abort(new Error("stop"));
    await expect(aborted).rejects.toThrow("stop");
    ticket.done({ throttled: false });
    await expect(next).resolves.toBeDefined();
  });

  test("reserve() takes the turn that admit() then gives, and gives it back when it is not used", async () => {
    const { pace, admit } = setUp({ connections: 1 });
    const { signal } = new AbortController();
    const release = await pace.reserve("key", "a", signal);
    const other = admit("b");
    const ticket = await admit("a");
    ticket.done({ throttled: false });
    release();
    (await other).done({ throttled: false });
    const unused = await pace.reserve("key", "a", signal);
    unused();
    await expect(admit("b")).resolves.toBeDefined();
  });
});

describe("pace, when the gateway asks to wait", () => {
  test("one throttled target is left alone until its hint has passed, the others are not", async () => {
    const { clock, ask, until } = setUp();
    await ask("a", "throttled", 30_000);
    expect(await ask("a")).toBe("paused");
    expect(await ask("b")).toBe("yes");
    expect(until()).toBe(clock.now() + 30_000);
    await clock.advance(30_000);
    expect(until()).toBeUndefined();
    expect(await ask("a")).toBe("yes");
  });

  test("a refusal without a hint leaves the target to the next round", async () => {
    const { ask, until } = setUp();
    await ask("a", "throttled");
    expect(await ask("a")).toBe("yes");
    expect(until()).toBeUndefined();
  });

  test("a hint is never obeyed for longer than max_pause", async () => {
    const { clock, ask, until } = setUp();
    await ask("a", "throttled", 60 * MINUTE);
    expect(until()).toBe(clock.now() + 5 * MINUTE);
    await clock.advance(5 * MINUTE);
    expect(await ask("a")).toBe("yes");
  });

  test("a hint without a 429, as with 503, is that target's alone, however many get one", async () => {
    const { clock, admit, ask } = setUp();
    for (const target of ["a", "b", "c"]) (await admit(target)).done({ throttled: false, hintMs: 20_000 });
    expect(await ask("a")).toBe("paused");
    expect(await ask("d")).toBe("yes");
    await clock.advance(20_000);
    expect(await ask("a")).toBe("yes");
  });

  test("answers that were under way do not shorten a pause", async () => {
    const { clock, admit, ask } = setUp();
    const tickets = [await admit("a"), await admit("b"), await admit("c"), await admit("d")];
    tickets[0]?.done({ throttled: true, hintMs: 60_000 });
    tickets[1]?.done({ throttled: true, hintMs: 60_000 });
    tickets[2]?.done({ throttled: true });
    tickets[3]?.done({ throttled: true, hintMs: 1000 });
    await clock.advance(59_999);
    expect(await ask("e")).toBe("paused");
    await clock.advance(1);
    expect(await ask("e")).toBe("yes");
  });

  test("two throttled targets within an interval speak for the endpoint", async () => {
    const { clock, ask } = setUp();
    await ask("a", "throttled", 10_000);
    await ask("b", "throttled", 20_000);
    expect(await ask("c")).toBe("paused");
    await clock.advance(20_000);
    expect(await ask("c")).toBe("yes");
    expect(await ask("d")).toBe("yes");
  });

  test("the same target twice, or two further apart than an interval, do not", async () => {
    const { clock, ask } = setUp();
    await ask("a", "throttled", 1000);
    await clock.advance(2000);
    await ask("a", "throttled", 1000);
    expect(await ask("b")).toBe("yes");
    await clock.advance(MINUTE + 1);
    await ask("c", "throttled", 1000);
    expect(await ask("b")).toBe("yes");
  });

  test("without hints the endpoint rests for half a minute", async () => {
    const { clock, ask, until } = setUp();
    await ask("a", "throttled");
    await ask("b", "throttled");
    expect(until()).toBe(clock.now() + 30_000);
  });

  test("after the pause one request tries: the others wait for what becomes of it", async () => {
    const { clock, admit, ask } = setUp();
    await ask("a", "throttled", 10_000);
    await ask("b", "throttled", 10_000);
    await clock.advance(10_000);
    const trial = await admit("c");
    expect(await ask("d")).toBe("paused");
    trial.done({ throttled: true, hintMs: 10_000 });
    expect(await ask("d")).toBe("paused");
    await clock.advance(10_000);
    expect(await ask("c")).toBe("yes");
    expect(await ask("d")).toBe("yes");
  });

  test("one that queued when the pause began is refused, too, and gives its place back", async () => {
    const { clock, pace, admit, ask } = setUp({ connections: 2 });
    const { signal } = new AbortController();
    const [first, second] = [await admit("a"), await admit("b")];
    const queued = Promise.allSettled([pace.admit("key", "c", signal)]);
    first.done({ throttled: true, hintMs: 10_000 });
    second.done({ throttled: true, hintMs: 10_000 });
    await queued;
    await clock.advance(10_000);
    expect(await ask("d")).toBe("yes");
    expect(await ask("e")).toBe("yes");
  });

  test("a step of the wall clock neither shortens nor prolongs a pause", async () => {
    const { clock, ask, until } = setUp();
    await ask("a", "throttled", 30_000);
    clock.set(clock.now() - 3_600_000);
    expect(until()).toBe(clock.now() + 30_000);
    await clock.advance(30_000);
    expect(await ask("a")).toBe("yes");
  });
});
