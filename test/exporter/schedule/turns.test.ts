import { describe, expect, test } from "vitest";
import { createSlots } from "../../../exporter/schedule/slots.ts";
import { createTurns } from "../../../exporter/schedule/turns.ts";
import { createManualClock } from "../../support/clock.ts";

function setUp({ perMinute = 600, connections = 64 } = {}) {
  const clock = createManualClock();
  const turns = createTurns(clock, createSlots(connections), perMinute);
  const begin = clock.monotonic();
  /** Who entered when, milliseconds after the start. */
  const entered: [string, number][] = [];
  const releases = new Map<string, () => void>();
  const take = (name: string, signal = new AbortController().signal) =>
    turns.take(signal, (release) => {
      entered.push([name, clock.monotonic() - begin]);
      releases.set(name, release);
    });
  const takeAll = (count: number) => Promise.all(Array.from({ length: count }, (_, each) => take(`${each}`)));
  return { clock, turns, entered, releases, take, takeAll };
}

describe("createTurns()", () => {
  test("is unpaced with 0", async () => {
    const { takeAll, entered } = setUp({ perMinute: 0 });
    await takeAll(10);
    expect(entered.map(([, at]) => at)).toEqual(Array.from({ length: 10 }, () => 0));
  });

  test("a process that stood still goes on at the pace, in the order of asking", async () => {
    const { clock, takeAll, entered } = setUp();
    const all = takeAll(30);
    await clock.advance(1000);
    await clock.jump(clock.now() + 10_000);
    // One that is late, and one that makes up for that.
    expect(entered.slice(11).map(([, at]) => at)).toEqual([11_000, 11_000]);
    await clock.advance(1700);
    await all;
    expect(entered.map(([name]) => name)).toEqual(Array.from({ length: 30 }, (_, each) => `${each}`));
    expect(entered.slice(13).map(([, at]) => at)).toEqual(
      Array.from({ length: 17 }, (_, each) => 11_100 + each * 100),
    );
  });

  test("places that come free together are not taken together", async () => {
    const { clock, takeAll, entered, releases } = setUp({ connections: 3 });
    void takeAll(8);
    await clock.advance(5000);
    expect(entered).toHaveLength(3);
    for (const release of releases.values()) release();
    await clock.advance(300);
    expect(entered.slice(3).map(([, at]) => at)).toEqual([5000, 5000, 5100]);
  });

  test("timers that come a little late do not slow the pace down", async () => {
    const { clock, takeAll, entered } = setUp({ perMinute: 6000, connections: 200 });
    const all = takeAll(101);
    while (entered.length < 101) {
      await clock.jump(clock.now() + 13);
      await clock.advance(0);
    }
    await all;
    expect(entered.at(-1)?.[1]).toBeLessThanOrEqual(1000 + 13);
  });

  test("a turn that is refused is the next one's, so that all are refused at once", async () => {
    const { clock, turns, take, entered } = setUp();
    await take("first");
    const refused = [1, 2, 3].map((each) =>
      turns.take(new AbortController().signal, () => {
        throw new Error(`Refused ${each}`);
      }),
    );
    const settled = Promise.allSettled(refused);
    void take("last");
    await clock.advance(100);
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(entered).toEqual([
      ["first", 0],
      ["last", 100],
    ]);
  });

  test("one that is aborted leaves at once, and neither takes a turn nor a place", async () => {
    const { clock, take, entered, releases } = setUp({ connections: 2 });
    const aborter = new AbortController();
    await take("first");
    const head = take("head", aborter.signal);
    const behind = take("behind", aborter.signal);
    const last = take("last");
    aborter.abort(new Error("Enough"));
    await expect(head).rejects.toThrow("Enough");
    await expect(behind).rejects.toThrow("Enough");
    await expect(take("late", aborter.signal)).rejects.toThrow("Enough");
    await clock.advance(100);
    await last;
    releases.get("first")?.();
    void take("another");
    await clock.advance(100);
    expect(entered).toEqual([
      ["first", 0],
      ["last", 100],
      ["another", 200],
    ]);
    expect(clock.pending()).toEqual([]);
  });

  test("one that is aborted while it waits for a place gives way", async () => {
    const { clock, take, entered, releases } = setUp({ connections: 1 });
    const aborter = new AbortController();
    await take("first");
    const head = take("head", aborter.signal);
    const last = take("last");
    await clock.advance(1000);
    aborter.abort(new Error("Enough"));
    await expect(head).rejects.toThrow("Enough");
    releases.get("first")?.();
    await clock.advance(0);
    await last;
    expect(entered.map(([name]) => name)).toEqual(["first", "last"]);
  });
});
