import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

import { ProgressReporter } from "./test/support/progress-reporter.ts";

/**
 * The name of a file says what it may do, and so when it runs (CONTRIBUTING.md, "Tests").
 * Stories start processes, ports or real tools; nightly files search, or take minutes.
 */
const STORIES = ["test/**/*.story.test.ts", "test/e2e/**/*.test.ts"];
const NIGHTLY = ["test/**/*.nightly.test.ts"];

/** Short files that run for long. Without results of an earlier run, the order is that of the sizes. */
const LONG =
  /infra\/up\.|npm-package|reliability\/faults|world\/cases|\/demo\.|rules\/week|status-page|shutdown/;

/** Begins with long files, so that none of them runs alone at the end. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of the sequencer
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(LONG.test(b.moduleId)) - Number(LONG.test(a.moduleId)));
  }
}

/** Where .ci/run wants the results as JSON. */
const REPORT = process.env["TEST_REPORT"];

export default defineConfig({
  test: {
    // Stories wait more than they compute.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    reporters: ["default", new ProgressReporter(), ...(REPORT === undefined ? [] : ["json"])],
    ...(REPORT !== undefined && { outputFile: { json: REPORT } }),
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: [...STORIES, ...NIGHTLY],
          setupFiles: "./test/support/fast-setup.ts",
          // Its files leave nothing behind, so they share the modules that each of them would load again.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "stories", include: STORIES, exclude: NIGHTLY, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: "nightly", include: NIGHTLY, sequence: { groupOrder: 2 } },
      },
    ],
    // For a process that hangs: a busy machine must not fail a test. Longer than PATIENCE_MS in test/support.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
