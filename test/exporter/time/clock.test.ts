import { expect, test } from "vitest";
import { systemClock as clock } from "../../../exporter/time/clock.ts";

test("systemClock never wakes before its time, so that a pause of the gateway has passed when it was waited for", async () => {
  const waits = Array.from({ length: 400 }, (_, each) => 1 + each * 0.13);
  const late = await Promise.all([...waits.map(lateAfterSleep), ...waits.map(lateAfterCall)]);
  expect(late.filter((ms) => ms < 0)).toEqual([]);
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
