import { expect, onTestFinished, test, vi } from "vitest";
import { onAbort, systemClock as clock } from "../../../exporter/time/clock.ts";

test("systemClock never wakes early, so a pause that the gateway asked for is over", async () => {
  const waits = Array.from({ length: 400 }, (_, each) => 1 + each * 0.13);
  const late = await Promise.all([...waits.map(lateAfterSleep), ...waits.map(lateAfterCall)]);
  expect(late.filter((ms) => ms < 0)).toEqual([]);
});

test.each(["before", "while"] as const)(
  "systemClock.sleep rejects with the reason of a signal that is aborted %s it waits",
  async (when) => {
    const controller = new AbortController();
    const reason = new Error("stopped");
    if (when === "before") controller.abort(reason);
    const slept = clock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(slept).rejects.toBe(reason);
  },
);

test("systemClock.after waits for 24 days at most, because Node calls back at once after more", () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  const cancel = clock.after(93 * 86_400_000, () => {});
  cancel();
  expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([2_147_483_647]);
});

test("onAbort calls every callback that was not cancelled once", () => {
  const controller = new AbortController();
  const [first, second, third] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
  onAbort(controller.signal, first);
  const forget = onAbort(controller.signal, second);
  onAbort(controller.signal, third);
  forget();
  controller.abort();
  expect([first, second, third].map((waiter) => waiter.mock.calls.length)).toEqual([1, 0, 1]);
});

async function lateAfterSleep(ms: number): Promise<number> {
  const dueAt = clock.monotonic() + ms;
  await clock.sleep(ms);
  return clock.monotonic() - dueAt;
}

function lateAfterCall(ms: number): Promise<number> {
  const dueAt = clock.monotonic() + ms;
  return new Promise((resolve) => {
    clock.after(ms, () => resolve(clock.monotonic() - dueAt));
  });
}
