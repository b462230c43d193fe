import { describe, expect, test } from "vitest";

import { createManualClock } from "../support/clock.ts";
import { startScriptedServer } from "../support/scripted-server.ts";

const START = Date.parse("2026-11-18T12:00:00Z");

describe("createManualClock", () => {
  test("advance runs due timers in order of time, each at its own due time", async () => {
    const clock = createManualClock(START);
    const ran: [string, number][] = [];
    clock.after(300, () => ran.push(["late", clock.now() - START]));
    clock.after(100, () => ran.push(["early", clock.now() - START]));
    clock.after(100, () => ran.push(["early too", clock.now() - START]));
    clock.after(301, () => ran.push(["never", clock.now() - START]));

    await clock.advance(300);

    expect(ran).toEqual([
      ["early", 100],
      ["early too", 100],
      ["late", 300],
    ]);
    expect(clock.now()).toBe(START + 300);
    expect(clock.pending()).toEqual([START + 301]);
  });

  test("advance lets a loop of sleeps run as often as its time comes", async () => {
    const clock = createManualClock(START);
    const woken: number[] = [];
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        await clock.sleep(60_000);
        woken.push(clock.now() - START);
      }
    };
    const finished = loop();

    await clock.advance(180_000);
    await finished;

    expect(woken).toEqual([60_000, 120_000, 180_000]);
  });

  test("advance by 0 runs a timer of 0 ms and no other", async () => {
    const clock = createManualClock(START);
    const ran: string[] = [];
    clock.after(0, () => ran.push("now"));
    clock.after(-5, () => ran.push("overdue"));
    clock.after(1, () => ran.push("later"));
    await clock.advance(0);
    expect(ran).toEqual(["now", "overdue"]);
  });

  test("jump runs every due timer once, at the new time", async () => {
    const clock = createManualClock(START);
    const ran: number[] = [];
    const again = (): void => {
      ran.push(clock.now() - START);
      clock.after(1000, again);
    };
    clock.after(1000, again);
    clock.after(10, () => ran.push(clock.now() - START));

    await clock.jump(START + 3_600_000);

    expect(ran).toEqual([3_600_000, 3_600_000]);
    expect(clock.pending()).toEqual([START + 3_601_000]);
    expect(clock.monotonic()).toBe(3_600_000);
  });

  test("jump does not run a timer that an earlier one cancelled", async () => {
    const clock = createManualClock(START);
    const ran: string[] = [];
    const cancel = clock.after(20, () => ran.push("cancelled"));
    clock.after(10, () => {
      ran.push("first");
      cancel();
    });
    await clock.jump(START + 100);
    expect(ran).toEqual(["first"]);
  });

  test("set steps the wall clock back without touching timers or monotonic time", async () => {
    const clock = createManualClock(START);
    const ran: number[] = [];
    clock.after(1000, () => ran.push(clock.monotonic()));
    clock.set(START - 7_200_000);
    expect([clock.now(), clock.monotonic(), ran]).toEqual([START - 7_200_000, 0, []]);
    await clock.advance(1000);
    expect([clock.now(), clock.monotonic(), ran]).toEqual([START - 7_199_000, 1000, [1000]]);
  });

  test("advanceTo ends at the wall-clock time it is given", async () => {
    const clock = createManualClock("2026-11-18T23:59:00Z");
    await clock.advanceTo(Date.parse("2026-11-19T00:01:30Z"));
    expect(new Date(clock.now()).toISOString()).toBe("2026-11-19T00:01:30.000Z");
    expect(clock.monotonic()).toBe(150_000);
  });

  test("runTo waits until the requests of each step have their answers", async () => {
    const server = await startScriptedServer((response) => {
      setTimeout(() => response.end("answer"), 20);
    });
    const clock = createManualClock(START);
    const answeredAt: number[] = [];
    const ask = (): void => {
      void fetch(server.url)
        .then((response) => response.text())
        .then(() => {
          answeredAt.push(clock.now() - START);
          clock.after(1000, ask);
        });
    };
    clock.after(1000, ask);

    await clock.runTo(START + 3500);

    expect(answeredAt).toEqual([1000, 2000, 3000]);
    expect(clock.now()).toBe(START + 3500);
  });

  test("runTo with a longer step leaps from timer to timer", async () => {
    const clock = createManualClock(START);
    const ran: number[] = [];
    clock.after(1500, () => ran.push(clock.now() - START));
    clock.after(7_200_000, () => ran.push(clock.now() - START));
    await clock.runTo(START + 86_400_000, Infinity);
    expect(ran).toEqual([1500, 7_200_000]);
    expect(clock.now()).toBe(START + 86_400_000);
  });

  test("answered waits for a request that is under way and moves no time", async () => {
    const server = await startScriptedServer((response) => {
      setTimeout(() => response.end("answer"), 20);
    });
    const clock = createManualClock(START);
    let isAnswered = false;
    void fetch(server.url)
      .then((response) => response.text())
      .then(() => {
        isAnswered = true;
      });
    await new Promise((resolve) => setImmediate(resolve));
    await clock.answered();
    expect(isAnswered).toBe(true);
    expect(clock.now()).toBe(START);
  });

  test("now returns whole milliseconds between fractions", async () => {
    const clock = createManualClock(START);
    await clock.advance(1.75);
    expect([clock.now(), clock.monotonic()]).toEqual([START + 1, 1.75]);
  });

  test("sleep rejects with the signal's reason and leaves no timer", async () => {
    const clock = createManualClock(START);
    const controller = new AbortController();
    const reason = new Error("stopping");
    const sleeping = clock.sleep(1000, controller.signal);
    expect(clock.pending()).toHaveLength(1);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    await expect(clock.sleep(1000, controller.signal)).rejects.toBe(reason);
    expect(clock.pending()).toEqual([]);
  });

  test("untilPending resolves when enough timers wait", async () => {
    const clock = createManualClock(START);
    const waited = clock.untilPending(2).then(() => clock.pending());
    clock.after(5, () => {});
    setImmediate(() => void clock.after(7, () => {}));
    expect(await waited).toEqual([START + 5, START + 7]);
  });

  test.each([
    ["a negative advance", (): Promise<void> => createManualClock(START).advance(-1)],
    ["a jump into the past", (): Promise<void> => createManualClock(START).jump(START - 1)],
    ["an advance that is not a number", (): Promise<void> => createManualClock(START).advance(Number.NaN)],
    ["a sleep that is not a number", (): Promise<void> => createManualClock(START).sleep(Number.NaN)],
  ])("refuses %s", async (_name, move) => {
    await expect(move()).rejects.toThrow(RangeError);
  });

  test("an error in a timer reaches the test", async () => {
    const clock = createManualClock(START);
    clock.after(1, () => {
      throw new Error("in a timer");
    });
    await expect(clock.advance(1)).rejects.toThrow("in a timer");
  });
});
