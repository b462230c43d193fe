// Reads reports of vitest. `failed REPORT` prints the files with a failure; `count REPORT AGAIN` prints the number of tests
// that passed, failed and were skipped. Files that ran again count as in their last run. No report counts as one failure.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const [command, ...reports] = process.argv.slice(2);
const files = new Map(
  reports.flatMap((report) => resultsOf(report)).map((result) => [relative(".", result.name), result]),
);
const failed = [...files].filter(([, { status }]) => status === "failed").map(([name]) => name);

if (command === "failed") process.stdout.write(`${failed.join("\n")}\n`);
else {
  const counts = { passed: 0, failed: files.size === 0 ? 1 : 0, skipped: 0 };
  for (const { status, assertionResults: tests } of files.values()) {
    // A file that fails as a whole (an import, a hook) reports no failed test.
    if (status === "failed" && !tests.some((test) => test.status === "failed")) counts.failed++;
    for (const test of tests) counts[test.status in counts ? test.status : "skipped"]++;
  }
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

function resultsOf(report) {
  return existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : [];
}
