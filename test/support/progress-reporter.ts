import { relative } from "node:path";

import type { Reporter, TestModule } from "vitest/node";

/** Milliseconds between two lines of progress. */
const PERIOD_MS = 15_000;

/** The files whose durations the last lines show. */
const SLOWEST = 10;

/** Shows while the tests run how many files are done, and afterwards which were the slowest. */
export class ProgressReporter implements Reporter {
  #total = 0;
  #done: TestModule[] = [];
  #shownAt = 0;
  #startedAt = 0;

  onTestRunStart(files: readonly { readonly project: { readonly name: string } }[]): void {
    this.#total = files.length;
    this.#done = [];
    this.#startedAt = this.#shownAt = Date.now();
    if (files.some(({ project }) => project.name === "nightly") && files.length > 100) {
      print(`${files.length} files, with those that run nightly: about half an hour on two cores`);
    }
  }

  onTestModuleEnd(file: TestModule): void {
    this.#done.push(file);
    if (Date.now() - this.#shownAt < PERIOD_MS) return;
    this.#shownAt = Date.now();
    const seconds = Math.round((this.#shownAt - this.#startedAt) / 1000);
    const [slowest] = bySlowness(this.#done);
    print(
      `${this.#done.length} of ${this.#total} files in ${seconds} s, slowest ${slowest && textOf(slowest)}`,
    );
  }

  onTestRunEnd(): void {
    if (this.#total < SLOWEST) return;
    print(`The slowest files:\n${bySlowness(this.#done).slice(0, SLOWEST).map(textOf).join("\n")}`);
  }
}

function bySlowness(files: readonly TestModule[]): readonly TestModule[] {
  return files.toSorted((a, b) => durationOf(b) - durationOf(a));
}

function textOf(file: TestModule): string {
  return `${(durationOf(file) / 1000).toFixed(1)} s  ${relative(process.cwd(), file.moduleId)}`;
}

/** With imports, which are most of the time of a small file. */
function durationOf(file: TestModule): number {
  const { collectDuration, setupDuration, prepareDuration, environmentSetupDuration, duration } =
    file.diagnostic();
  return collectDuration + setupDuration + prepareDuration + environmentSetupDuration + duration;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
