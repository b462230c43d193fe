import { describe, expect, test } from "vitest";
import { startAutoReload } from "../../../exporter/cli/daemon/reload.ts";
import { createManualClock } from "../../support/clock.ts";

describe("startAutoReload()", () => {
  test("waits while a file is being written, and forgets a change that was undone", async () => {
    const { pass, reloads, stage } = setUp();
    for (const part of ["a", "ab", "abc", undefined, "abc"]) {
      stage.change = part;
      await pass(1);
    }
    expect(reloads()).toBe(0);
    await pass(1);
    expect(reloads()).toBe(1);
  });

  test("reloads when a file comes that was missing, and when the problems become others", async () => {
    const { pass, reloads, stage } = setUp();
    stage.problems = ["no file", "no other file"];
    stage.change = "bad";
    await pass(2);
    stage.problems = ["no other file"];
    await pass(1);
    expect(reloads()).toBe(2);
    stage.problems = [];
    await pass(1);
    expect(reloads()).toBe(3);
    const { inspections } = stage;
    await pass(100);
    expect([reloads(), stage.inspections]).toEqual([3, inspections]);
  });

  test("does not load a file that changed during the inspection until it is complete", async () => {
    const { pass, reloads, stage } = setUp();
    stage.problems = ["no file"];
    stage.change = "bad";
    await pass(2);
    stage.problems = [];
    stage.duringInspection = () => void (stage.change = "half");
    await pass(1);
    expect(reloads()).toBe(1);
    stage.change = "whole";
    await pass(1);
    expect(reloads()).toBe(1);
    await pass(1);
    expect(reloads()).toBe(2);
  });

  test("ends when it is stopped", async () => {
    const { pass, reloads, stage, stop, clock } = setUp();
    stage.change = "v2";
    await pass(1);
    stop();
    await pass(10);
    expect([reloads(), clock.pending()]).toEqual([0, []]);
  });
});

/** A configuration as the test describes it; a reload takes note of it. */
function setUp() {
  const clock = createManualClock();
  let [last, reloads]: [readonly string[], number] = [[], 0];
  const stage = {
    change: undefined as string | undefined,
    problems: [] as readonly string[],
    inspections: 0,
    duringInspection: () => {},
    reload: {
      run: async () => {
        reloads++;
        stage.change = undefined;
        last = stage.problems;
        return last;
      },
      problems: () => last,
      inspect: async () => {
        stage.inspections++;
        stage.duringInspection();
        return stage.problems;
      },
    },
  };
  const followed = { change: async () => stage.change };
  const stop = startAutoReload({ intervalMs: 5000, clock, followed, reload: stage.reload });
  const pass = async (checks: number) => {
    for (let check = 0; check < checks; check++) await clock.advance(5000);
  };
  return { clock, stage, stop, pass, reloads: () => reloads };
}
