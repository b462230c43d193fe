import { describe, expect, test } from "vitest";
import { createPacking, unpack } from "../../../exporter/metrics/render/block.ts";
import { keyFamilies } from "../../../exporter/collectors/key-families.ts";
import { sample } from "../../../exporter/metrics/family.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { createManualClock } from "../../support/clock.ts";
import { askingJob, createTestEngine } from "./test-engine.ts";
import { testGroup } from "./test-jobs.ts";

const MINUTE = 60_000;

/** A key whose description shows whether it is up, as that of the collector does. */
function keyJob(name: string) {
  return askingJob(name, { describe: ({ up }) => sample(keyFamilies.up, { key: name }, up) });
}

/** Two keys that are polled every minute, after the first poll. */
async function setUp() {
  const jobs = ["a", "b"].map(keyJob);
  const own = createTestEngine({ groups: [testGroup({ jobs })], connections: 1 });
  const upShown = (name: string) =>
    own.readings
      .view()
      .blocks.flatMap(unpack)
      .find(({ family, labels }) => family === keyFamilies.up && labels === `key="${name}"`)?.value;
  const ups = () => [upShown("a"), own.status("a")?.up];
  own.begin();
  await own.clock.advance(10_000);
  return { ...own, ups };
}

describe("a target that is not polled within its time to live is not up", () => {
  test("while another one holds the only connection, and is up again after the next poll", async () => {
    const { clock, answers, ups, readings, status } = await setUp();
    expect(ups()).toEqual([1, true]);
    answers.set("b", { ms: 6 * MINUTE, credits: 1 });
    await clock.advance(2 * MINUTE);
    const asked = status("a")?.lastSuccessMs ?? 0;
    await clock.advanceTo(asked + 3 * MINUTE - 5001);
    expect([...ups(), readings.shown("key/a") !== undefined]).toEqual([1, true, true]);
    await clock.advanceTo(asked + 3 * MINUTE);
    expect(ups()).toEqual([0, false]);
    expect(status("a")).toMatchObject({ failure: undefined, lastSuccessMs: asked });
    answers.set("b", { credits: 1 });
    await clock.advanceTo(asked + 8 * MINUTE);
    expect(ups()).toEqual([1, true]);
  });

  test("also when the clock is set back afterwards", async () => {
    const { clock, engine, ups } = await setUp();
    await engine.stop();
    await clock.advance(3 * MINUTE);
    expect(ups()).toEqual([0, false]);
    clock.set(clock.now() - 10 * MINUTE);
    expect(ups()).toEqual([0, false]);
  });

  test("a step of the clock is no time without a poll", async () => {
    const { clock, ups } = await setUp();
    clock.set(clock.now() + 60 * MINUTE);
    expect(ups()).toEqual([1, true]);
  });

  test("but stays up if it is polled", async () => {
    const { clock, ups } = await setUp();
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(MINUTE);
      expect(ups()).toEqual([1, true]);
    }
  });

  test("a failing target stays failing, with its reason", async () => {
    const { clock, answers, ups, status } = await setUp();
    answers.set("a", { failure: "unauthorized" });
    await clock.advance(10 * MINUTE);
    expect(ups()).toEqual([0, false]);
    expect(status("a")?.failure?.reason).toBe("unauthorized");
  });
});

test("a target whose answers exceed the series limit is up as long as it is polled", async () => {
  const clock = createManualClock();
  const readings = createReadings(clock, createPacking(), () => 0);
  readings.configure("key/a", "one");
  const value = { kind: "probe", answer: undefined, succeeded: true, durationMs: 0 } as const;
  const reading = {
    value: { ...value, audioSeconds: undefined, wordErrorRate: undefined },
    askedAtMs: clock.now(),
    asOfMs: clock.now(),
    timeToLiveMs: 3 * MINUTE,
  };
  readings.learn("key/a", reading, sample(keyFamilies.usage, { key: "a" }, 1));
  readings.update("key/a", { up: true });
  await clock.advance(2 * MINUTE);
  expect(readings.status("key/a")?.up).toBe(true);
  await clock.advance(MINUTE);
  expect(readings.status("key/a")?.up).toBe(false);
});
