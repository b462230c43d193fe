import { describe, expect, test, onTestFinished, vi } from "vitest";
import { startAutoReload, createReload, oneAtATime } from "../../../exporter/cli/daemon/reload.ts";
import { createManualClock } from "../../support/clock.ts";
import { readFileSync } from "node:fs";
import { type Config, configHash } from "../../../exporter/config/config.ts";
import { createFollowedFiles } from "../../../exporter/config/followed-files.ts";
import { systemFiles } from "../../../exporter/secrets/files.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { createRecordingLog } from "../../support/log.ts";

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

describe("createReload()", () => {
  test("applies the new configuration, and returns no problems", async () => {
    const { reload, applied, files, lines } = setUpReload();
    files.write({ series_limit: 7 });
    expect(await reload()).toEqual([]);
    expect(applied.mock.calls.map(([config]) => config?.seriesLimit)).toEqual([7]);
    const config_hash = configHash(readFileSync(files.configFile, "utf8"));
    expect(lines).toMatchObject([{ message: "Configuration reloaded", fields: { keys: 1, config_hash } }]);
  });

  test("returns and logs the problems of a bad configuration, and reports it to the app", async () => {
    const { reload, problems, applied, files, lines } = setUpReload();
    files.write({ series_limit: 0 });
    const problem = `${files.configFile}: line 1: series_limit: 0 is not an integer from 1 to 100000000`;
    expect(await reload()).toEqual([problem]);
    expect(applied.mock.calls).toEqual([[undefined]]);
    expect(lines.map(({ message }) => message)).toEqual([
      problem,
      "Cannot reload; the running configuration is unchanged",
    ]);
    expect(problems()).toEqual([problem]);
    files.write({});
    await reload();
    expect(problems()).toEqual([]);
  });
});

function setUpReload() {
  const files = writeExporterFiles({
    url: "http://127.0.0.1:1",
    tokens: new Map([["billing", "sk-billing"]]),
  });
  onTestFinished(() => files.remove());
  const { log, lines } = createRecordingLog();
  const applied = vi.fn<(config: Config | undefined) => Promise<void>>(() => Promise.resolve());
  const app = Promise.resolve({ apply: applied });
  const followed = createFollowedFiles(files.configFile, systemFiles);
  const { configFile, environment: env } = files;
  const { run, problems } = createReload(app, { configFile, env, followed, log, flags: {} });
  return { reload: run, problems, applied, files, lines };
}

describe("oneAtATime()", () => {
  test("calls made during a run share the next run, which begins after it", async () => {
    const begun: PromiseWithResolvers<string>[] = [];
    const ask = oneAtATime(() => {
      const run = Promise.withResolvers<string>();
      begun.push(run);
      return run.promise;
    });
    const first = ask();
    await Promise.resolve();
    expect(begun).toHaveLength(1);
    const [second, third] = [ask(), ask()];
    await Promise.resolve();
    expect(begun).toHaveLength(1);
    begun[0]?.resolve("one");
    expect(await first).toBe("one");
    await Promise.resolve();
    expect(begun).toHaveLength(2);
    begun[1]?.resolve("two");
    expect(await Promise.all([second, third])).toEqual(["two", "two"]);
  });
});
