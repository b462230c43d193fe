// Prints how many tests of vitest's JSON reports passed, failed and were skipped: FAILED_STEPS REPORT...
// A failed step of .ci/run counts as a failure, and so does a run without a report.
import { readFileSync } from "node:fs";

const [failedSteps, ...reports] = process.argv.slice(2);
const counts = { passed: 0, failed: Number(failedSteps) || (reports.length === 0 ? 1 : 0), skipped: 0 };

for (const report of reports) {
  for (const { status, assertionResults: tests } of JSON.parse(readFileSync(report, "utf8")).testResults) {
    // A file that fails as a whole (an import, a hook) reports no failed test.
    if (status === "failed" && !tests.some((test) => test.status === "failed")) counts.failed++;
    for (const test of tests) counts[test.status in counts ? test.status : "skipped"]++;
  }
}
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
process.exitCode = counts.failed > 0 ? 1 : 0;
