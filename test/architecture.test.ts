import { describe, expect, test } from "vitest";

import { type Rule, checkArchitecture, longFiles } from "./support/architecture.ts";
import { sourceFiles } from "./support/repository.ts";

describe("the repository", () => {
  const files = sourceFiles();
  const violations = checkArchitecture(files);

  test("is read by the checker, and files of more than 250 lines are a warning", async ({ annotate }) => {
    for (const file of longFiles(files)) await annotate(file, "warning");
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["exporter/log.ts", "test/architecture.test.ts", "vitest.config.ts"]),
    );
  });

  test.each<[Rule, string]>([
    ["import-law", "has imports in one direction only"],
    ["package-law", "keeps each package with its adapter"],
    ["process-law", "uses the process in main.ts only"],
    ["no-cycle", "has no import cycles"],
    ["file-size", "keeps files short"],
    ["no-drawer", "has no folder or file with an empty name such as utils"],
    ["kebab-case", "names files in kebab-case"],
    ["no-default-export", "exports by name"],
    ["documented", "documents the main export of each file"],
  ])("%s: %s", (rule) => {
    expect(violations.filter((violation) => violation.rule === rule).map(({ message }) => message)).toEqual(
      [],
    );
  });
});

describe("checkArchitecture", () => {
  test.each<[string, string, string, Rule]>([
    ["exporter/config/a.ts", 'import { a } from "../gateway/key.ts";', "exporter/config/ may", "import-law"],
    ["exporter/readings/a.ts", 'type A = import("../http/a.ts").A;', "readings/ may", "import-law"],
    ["exporter/discovery/find.ts", 'import "./other.ts";', "no row in the import law", "import-law"],
    ["exporter/http/a.ts", 'import { Gauge } from "prom-client";', "only exporter/metrics/", "package-law"],
    ["exporter/app.ts", "const port = process.env.PORT;", 'uses "process"', "process-law"],
    ["exporter/a.ts", "\n".repeat(401), "has 401 lines, want at most 400", "file-size"],
    ["exporter/utils/time.ts", "", 'is named "utils"', "no-drawer"],
    ["exporter/retryPolicy.ts", "", '"retryPolicy.ts" is not kebab-case', "kebab-case"],
    ["bench/run.ts", "export default function run() {}", "has a default export", "no-default-export"],
    ["exporter/app.ts", "export function createApp() {}", '"createApp" without a doc comment', "documented"],
  ])("%s with %j breaks a rule", (path, text, message, rule) => {
    const found = checkArchitecture([{ path, text }]).filter((violation) => violation.rule === rule);
    expect(found.map((violation) => violation.message)).toEqual([expect.stringContaining(message)]);
  });

  test("finds an import cycle, of types too, and names it", () => {
    const files = [
      { path: "bench/a.ts", text: 'import { b } from "./deep/b.ts";' },
      { path: "bench/deep/b.ts", text: '\nimport type { A } from "../a.ts";' },
    ];
    expect(checkArchitecture(files).map(({ message }) => message)).toEqual([
      "bench/deep/b.ts:2 closes an import cycle: bench/a.ts → bench/deep/b.ts → bench/a.ts",
    ]);
  });
});
