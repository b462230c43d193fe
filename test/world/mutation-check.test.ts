import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findMutation } from "./mutation-check.ts";
import { type Mutation, MUTATIONS } from "./mutations.ts";
import { outputOf, searchInJobs } from "./search-jobs.ts";
import { createCoverage } from "./coverage.ts";
import { SHARD_MUTATIONS } from "./shard-mutations.ts";
import { violationOf } from "./violation-of.ts";

/** A process of its own starts, on a busy machine. */
const TIME_LIMIT_MS = 300_000;

const withStory = [...MUTATIONS, ...SHARD_MUTATIONS].filter(({ story }) => story !== undefined);

describe.each(withStory)("the story of $what", (mutation) => {
  test("finds the defect", { timeout: TIME_LIMIT_MS }, async () => {
    expect(await findMutation(mutation, 1)).toMatchObject({ stories: undefined });
  });

  test("finds nothing in the exporter as it is", { timeout: TIME_LIMIT_MS }, async () => {
    expect(await violationOf(mutation.story ?? {})).toBeUndefined();
  });
});

test(
  "a defect that cannot be loaded is an error, not a defect that nothing finds",
  { timeout: TIME_LIMIT_MS },
  async () => {
    const [{ file, from } = { file: "", from: "" }] = MUTATIONS;
    const broken: Mutation = { breaks: "none", what: "not a program", file, from, to: "await (" };
    await expect(findMutation(broken, 1)).rejects.toThrow(
      /did not come to its end \(exit code 1\): .*Error/s,
    );
  },
);

describe("a search is an error when its process", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "world-search-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    [
      "exits with 1",
      'process.stderr.write("no memory\\n"); process.exitCode = 1;',
      /\(exit code 1\): no memory$/,
    ],
    [
      "exits with 1 after a finding",
      'console.log("seed 1, shrunk 2 times to 3 events\\ntruth: wrong"); process.exitCode = 1;',
      /\(exit code 1\): seed 1/,
    ],
    ["ends early without an error", "", /\(exit code 0\): $/],
    [
      "is killed",
      'process.kill(process.pid, "SIGKILL"); setTimeout(() => {}, 60_000);',
      /\(signal SIGKILL\)/,
    ],
  ])("%s", async (name, text, message) => {
    const program = join(folder, `${name}.js`);
    writeFileSync(program, text);
    await expect(outputOf([], program)).rejects.toThrow(message);
  });

  test("does not begin", async () => {
    await expect(outputOf([], join(folder, "missing.js"))).rejects.toThrow(
      /\(exit code 1\): .*Cannot find module/s,
    );
  });
});

test(
  "searchInJobs divides fewer seeds than processes among as many as are needed",
  { timeout: TIME_LIMIT_MS },
  async () => {
    const range = { first: 1, seeds: 1, jobs: 2 };
    expect(await searchInJobs(range, ["--minutes", "0.000001"], createCoverage())).toMatchObject({
      violations: 0,
    });
  },
);
