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
    ["no-drawer", "has no folder or file with an empty name such as utils"],
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
    ["exporter/utils/time.ts", "", 'is named "utils"', "no-drawer"],
    ["exporter/app.ts", "export function createApp() {}", "has no doc comment on its main", "documented"],
  ])("%s with %j breaks a rule", (path, text, message, rule) => {
    const found = checkArchitecture([{ path, text }]).filter((violation) => violation.rule === rule);
    expect(found.map((violation) => violation.message)).toEqual([expect.stringContaining(message)]);
  });
});
