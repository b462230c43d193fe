import { describe, expect, test } from "vitest";
import { unpack } from "../../../exporter/metrics/render/block.ts";
import { keyFamilies } from "../../../exporter/collectors/key-families.ts";
import { sample } from "../../../exporter/metrics/family.ts";
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
  const ups = () => {
    own.engine.expire();
    return [upShown("a"), own.status("a")?.up];
  };
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

  test("a step of the clock is no time without a poll", async () => {
    const { clock, ups } = await setUp();
    clock.set(clock.now() + 60 * MINUTE);
    expect(ups()).toEqual([1, true]);
  });
});
