import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createReload, oneAtATime } from "../../../exporter/cli/daemon/reload.ts";
import { type Config, configHash } from "../../../exporter/config/config.ts";
import { createFollowedFiles } from "../../../exporter/config/followed-files.ts";
import { systemFiles } from "../../../exporter/secrets/files.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { createRecordingLog } from "../../support/log.ts";

describe("createReload()", () => {
  test("applies the new configuration, and returns no problems", async () => {
    const { reload, applied, files, lines } = setUp();
    files.write({ series_limit: 7 });
    expect(await reload()).toEqual([]);
    expect(applied.mock.calls.map(([config]) => config?.seriesLimit)).toEqual([7]);
    const config_hash = configHash(readFileSync(files.configFile, "utf8"));
    expect(lines).toMatchObject([{ message: "Configuration reloaded", fields: { keys: 1, config_hash } }]);
  });

  test("returns and logs the problems of a bad configuration, and reports it to the app", async () => {
    const { reload, problems, applied, files, lines } = setUp();
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

function setUp() {
  const files = writeExporterFiles({
    gatewayUrl: "http://127.0.0.1:1",
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
