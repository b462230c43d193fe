import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createReload, oneAtATime } from "../../../exporter/cli/daemon/reload.ts";
import type { Config } from "../../../exporter/config/config.ts";
import { configHash } from "../../../exporter/config/config-hash.ts";
import { systemFiles } from "../../../exporter/config/files.ts";
import { createFollowedFiles } from "../../../exporter/config/followed-files.ts";
import { createLineLimiter } from "../../../exporter/log.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRecordingLog } from "../../support/log.ts";

describe("createReload()", () => {
  test("applies the new configuration, and returns no problems", async () => {
    const { reload, applied, files, lines } = setUp();
    files.write({ series_limit: 7 });
    expect(await reload()).toEqual([]);
    expect(applied.mock.calls.map(([config]) => config?.seriesLimit)).toEqual([7]);
    expect(lines.map(({ message }) => message)).toEqual(["Configuration reloaded"]);
  });

  test("returns and logs the problems of a bad configuration, and reports it to the app", async () => {
    const { reload, applied, files, lines } = setUp();
    files.write({ series_limit: 0 });
    const problem = `${files.configFile}: line 1: series_limit: 0 is not an integer from 1 to 100000000`;
    expect(await reload()).toEqual([problem]);
    expect(applied.mock.calls).toEqual([[undefined]]);
    expect(lines.map(({ message }) => message)).toEqual([
      problem,
      "Cannot reload; the running configuration is unchanged",
    ]);
  });

  test("logs a few of many reloads and their number, and returns every problem", async () => {
    const { reload, files, limiter, lines } = setUp();
    files.write({ series_limit: 0 });
    for (let count = 0; count < 50; count++) expect(await reload()).toHaveLength(1);
    limiter.flush();
    expect(lines.map(({ message }) => message).slice(-2)).toEqual([
      "45 more lines of this kind: problem of the configuration",
      "45 more lines of this kind: failed reload",
    ]);
    expect(lines).toHaveLength(12);
  });

  test("logs the hash of the configuration that it applied or refused", async () => {
    const { reload, files, lines } = setUp();
    files.write({ series_limit: 7 });
    await reload();
    const good = configHash(readFileSync(files.configFile, "utf8"));
    files.write({ series_limit: 0 });
    await reload();
    const bad = configHash(readFileSync(files.configFile, "utf8"));
    expect(lines.map(({ fields }) => fields)).toEqual([
      { keys: 1, config_hash: good },
      { config_hash: bad },
      { config_hash: bad },
    ]);
  });

  test("remembers the problems of the last reload until the next one", async () => {
    const { reload, problems, files } = setUp();
    files.write({ series_limit: 0 });
    expect(problems()).toEqual([]);
    expect(await reload()).toEqual(problems());
    expect(problems()).toHaveLength(1);
    files.write({});
    await reload();
    expect(problems()).toEqual([]);
  });

  test("reads a configuration again that changed while it was read", async () => {
    const parts = [5, 6, 7];
    const { reload, applied, files } = setUp({
      ...systemFiles,
      readFile: async (path, mostBytes) => {
        const text = await systemFiles.readFile(path, mostBytes);
        const next = parts.shift();
        if (next !== undefined && next < 7) files.write({ series_limit: next });
        return text;
      },
    });
    expect(await reload()).toEqual([]);
    expect(applied.mock.calls.map(([config]) => config?.seriesLimit)).toEqual([6]);
  });

  test("refuses a configuration that changes whenever it is read", async () => {
    let length = 0;
    const { reload, applied, files } = setUp({
      ...systemFiles,
      readFile: async (path, mostBytes) => {
        const text = await systemFiles.readFile(path, mostBytes);
        files.write({ series_limit: 10 ** ++length });
        return text;
      },
    });
    expect(await reload()).toEqual([
      `${files.configFile}: changes while it is read; reload it when it is complete`,
    ]);
    expect(applied.mock.calls).toEqual([[undefined]]);
  });

  test("returns an unexpected error as a problem, without secrets", async () => {
    const { reload, applied, files } = setUp();
    applied.mockRejectedValueOnce(new Error("failed with sk-billing"));
    expect(await reload()).toEqual([`${files.configFile}: cannot be loaded: Error: failed with [redacted]`]);
    expect(applied.mock.calls.at(-1)).toEqual([undefined]);
  });
});

function setUp(followedFiles = systemFiles) {
  const files = writeExporterFiles({
    gatewayUrl: "http://127.0.0.1:1",
    tokens: new Map([["billing", "sk-billing"]]),
  });
  onTestFinished(() => files.remove());
  const { log, lines } = createRecordingLog();
  const applied = vi.fn<(config: Config | undefined) => Promise<void>>(() => Promise.resolve());
  const limiter = createLineLimiter(log, createManualClock());
  const app = Promise.resolve({ apply: applied });
  const followed = createFollowedFiles(files.configFile, followedFiles);
  const { configFile, environment: env } = files;
  const { run, problems } = createReload(app, { configFile, env, followed, limiter, flags: {} });
  return { reload: run, problems, applied, files, limiter, lines };
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

  test("a failed run does not prevent the next one", async () => {
    let runs = 0;
    const ask = oneAtATime(() => (++runs === 1 ? Promise.reject(new Error("first")) : Promise.resolve(runs)));
    const first = ask();
    await expect(first).rejects.toThrow("first");
    expect(await ask()).toBe(2);
  });
});
