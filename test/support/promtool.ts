import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PromtoolResult {
  readonly ok: boolean;
  readonly exitCode: number | null;
  /** Standard output and error together, for the test's message. */
  readonly output: string;
}

/** `promtool check metrics`: lints an exposition in the text format 0.0.4 (it does not read OpenMetrics). */
export function checkMetrics(promtool: string, exposition: string): Promise<PromtoolResult> {
  return run(promtool, ["check", "metrics"], exposition);
}

/** `promtool check rules` of the text of a rule file. Duplicate rules and other lint count as errors. */
export function checkRules(promtool: string, rules: string): Promise<PromtoolResult> {
  return inDirectory({ "rules.yaml": rules }, (directory) =>
    run(promtool, ["check", "rules", "--lint=all", "--lint-fatal", "rules.yaml"], "", directory),
  );
}

/**
 * `promtool test rules` of the test file `tests`, beside which `ruleFiles` (text by file name, as named in the test's
 * `rule_files`) are written.
 */
export function testRules(
  promtool: string,
  tests: string,
  ruleFiles: Readonly<Record<string, string>>,
): Promise<PromtoolResult> {
  return inDirectory({ ...ruleFiles, "rules.test.yaml": tests }, (directory) =>
    run(promtool, ["test", "rules", "rules.test.yaml"], "", directory),
  );
}

async function run(
  promtool: string,
  parameters: readonly string[],
  input: string,
  directory?: string,
): Promise<PromtoolResult> {
  const child = spawn(promtool, parameters, directory === undefined ? {} : { cwd: directory });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  }
  // promtool may stop reading at the first error.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  await once(child, "close");
  // It was not promtool that ended, such as when memory runs out: that is no result.
  if (child.signalCode !== null) throw new Error(`${promtool} was ended by ${child.signalCode}`);
  return { ok: child.exitCode === 0, exitCode: child.exitCode, output: chunks.join("") };
}

async function inDirectory<T>(
  files: Readonly<Record<string, string>>,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "promtool-test-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
