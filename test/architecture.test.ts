import { describe, expect, test } from "vitest";

import { type Rule, checkArchitecture } from "./support/architecture.ts";
import { sourceFiles } from "./support/repository.ts";

describe("the repository", () => {
  const files = sourceFiles();
  const violations = checkArchitecture(files);

  test("is read by the checker", () => {
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
    // The import law
    ["exporter/metrics/family.ts", 'import "./store.ts";', "level 0 may import level 0 only", "import-law"],
    ["exporter/log.ts", 'import "./app.ts";', "level 0 may import level 0 only", "import-law"],
    [
      "exporter/time/cron.ts",
      'import type { Config } from "../config/config.ts";',
      "exporter/time/",
      "import-law",
    ],
    [
      "exporter/config/load.ts",
      'import { readKey } from "../gateway/key.ts";',
      "exporter/config/ may",
      "import-law",
    ],
    [
      "exporter/config/web/load.ts",
      'import { readKey } from "../../gateway/key.ts";',
      "exporter/config/ may",
      "import-law",
    ],
    [
      "exporter/gateway/http.ts",
      'import { loadConfig } from "../config/load.ts";',
      "exporter/gateway/ may",
      "import-law",
    ],
    [
      "exporter/gateway/wire/key.ts",
      'import type { Store } from "../../metrics/store.ts";',
      "exporter/gateway/ may",
      "import-law",
    ],
    [
      "exporter/readings/readings.ts",
      'export { readKey } from "../gateway/key.ts";',
      "exporter/readings/ may",
      "import-law",
    ],
    [
      "exporter/readings/readings.ts",
      'await import("../http/server.ts");',
      "exporter/readings/ may",
      "import-law",
    ],
    [
      "exporter/readings/readings.ts",
      'type A = import("../http/server.ts").A;',
      "exporter/readings/ may",
      "import-law",
    ],
    [
      "exporter/readings/readings.ts",
      'import "../../test/support/clock.ts";',
      "exporter/readings/ may",
      "import-law",
    ],
    [
      "exporter/metrics/render/block.ts",
      'import type { Reading } from "../../readings/reading.ts";',
      "exporter/metrics/ may",
      "import-law",
    ],
    [
      "exporter/schedule/engine.ts",
      'import { createHttp } from "../gateway/http.ts";',
      "exporter/schedule/ may",
      "import-law",
    ],
    [
      "exporter/schedule/engine.ts",
      'import { keyCollector } from "../collectors/key.ts";',
      "exporter/schedule/ may",
      "import-law",
    ],
    [
      "exporter/collectors/key.ts",
      'import { readKey } from "../gateway/key.ts";',
      "exporter/collectors/ may",
      "import-law",
    ],
    [
      "exporter/collectors/key.ts",
      'import * as key from "../gateway/key.ts";',
      "exporter/collectors/ may",
      "import-law",
    ],
    [
      "exporter/collectors/key.ts",
      'import type { Budget } from "../budgets/status.ts";',
      "exporter/collectors/ may",
      "import-law",
    ],
    [
      "exporter/collectors/key.ts",
      'import { loadConfig } from "../config/load.ts";',
      "exporter/collectors/ may",
      "import-law",
    ],
    [
      "exporter/probes/probe.ts",
      'import { budgetStatus } from "../budgets/budget-status.ts";',
      "exporter/probes/ may",
      "import-law",
    ],
    [
      "exporter/budgets/spend.ts",
      'import type { A } from "../collectors/key.ts";',
      "exporter/budgets/ may",
      "import-law",
    ],
    [
      "exporter/status/page/page.ts",
      'import type { Poll } from "../../schedule/poll.ts";',
      "exporter/status/ may",
      "import-law",
    ],
    [
      "exporter/status/overview.ts",
      'import { budgetStatus } from "../budgets/budget-status.ts";',
      "exporter/status/ may",
      "import-law",
    ],
    [
      "exporter/http/routes.ts",
      'import { loadConfig } from "../config/load.ts";',
      "exporter/http/ may",
      "import-law",
    ],
    [
      "exporter/http/routes.ts",
      'import type { Poll } from "../schedule/poll.ts";',
      "exporter/http/ may",
      "import-law",
    ],
    ["exporter/cli/run.ts", 'import { run } from "../main.ts";', "exporter/cli/ may", "import-law"],
    ["exporter/app.ts", 'import { run } from "./main.ts";', "exporter/app.ts may", "import-law"],
    ["exporter/app.ts", 'import { run } from "./cli/run.ts";', "exporter/app.ts may", "import-law"],
    ["exporter/app.ts", 'import { a } from "./demo.ts";', "exporter/app.ts may", "import-law"],
    ["exporter/app.ts", 'import { a } from "../dashboards/index.ts";', "exporter/app.ts may", "import-law"],
    [
      "exporter/main.ts",
      'import { createHttp } from "../test/demo.ts";',
      "exporter/main.ts may",
      "import-law",
    ],
    ["exporter/discovery/find.ts", 'import "./other.ts";', "no row in the import law", "import-law"],
    ["exporter/upstream.ts", 'import "./log.ts";', "no row in the import law", "import-law"],
    ["dashboards/spend.ts", 'import { a } from "../test/golden.ts";', "dashboards/ may", "import-law"],
    [
      "dashboards/panels/spend.ts",
      'import { a } from "../../exporter/collectors/key.ts";',
      "dashboards/ may",
      "import-law",
    ],
    ["infra/program.ts", 'import { a } from "../test/support/clock.ts";', "infra/ may", "import-law"],
    ["infra/program.ts", 'import { a } from "../exporter/app.ts";', "infra/ may", "import-law"],
    [
      "test/gateway/server.ts",
      'import type { A } from "../../exporter/gateway/key.ts";',
      "test/gateway/ may",
      "import-law",
    ],
    ["test/gateway/server.ts", 'import { a } from "../support/clock.ts";', "test/gateway/ may", "import-law"],
    [
      "test/gateway-contract/books.test.ts",
      'import { a } from "../../exporter/time/clock.ts";',
      "test/gateway-contract/ may",
      "import-law",
    ],
    // Packages and the process
    [
      "exporter/gateway/key.ts",
      'import { request } from "undici";',
      "only exporter/gateway/connections.ts may",
      "package-law",
    ],
    [
      "exporter/http/routes.ts",
      'import { Gauge } from "prom-client";',
      "only exporter/metrics/ may",
      "package-law",
    ],
    ["exporter/app.ts", 'import { hash } from "bcryptjs/umd";', "only exporter/http/ may", "package-law"],
    ["exporter/schedule/poll.ts", 'import cron from "node-cron";', "only exporter/time/ may", "package-law"],
    ["exporter/app.ts", 'import { env } from "node:process";', "only exporter/main.ts may", "package-law"],
    [
      "infra/program.ts",
      'import { request } from "undici";',
      "only exporter/gateway/connections.ts may",
      "package-law",
    ],
    ["exporter/app.ts", 'import { env } from "process";', "only exporter/main.ts may", "package-law"],
    ["exporter/app.ts", "const port = process.env.PORT;", 'uses "process"', "process-law"],
    ["exporter/log.ts", "globalThis.process.exit(1);", 'uses "process"', "process-law"],
    ["exporter/log.ts", "export function log(out = process) {}", 'uses "process"', "process-law"],
    // Files
    ["exporter/a.ts", "\n".repeat(251), "has 251 lines, want at most 250", "file-size"],
    ["test/gateway/a.ts", "\n".repeat(251), "has 251 lines, want at most 250", "file-size"],
    ["test/gateway/a.test.ts", "\n".repeat(401), "has 401 lines, want at most 400", "file-size"],
    ["test/a.test.ts", "\n".repeat(401), "has 401 lines, want at most 400", "file-size"],
    ["exporter/utils/time.ts", "", 'is named "utils"', "no-drawer"],
    ["exporter/http/helpers.ts", "", 'is named "helpers"', "no-drawer"],
    ["test/common-things.ts", "", 'is named "common"', "no-drawer"],
    ["dashboards/lib/panel.ts", "", 'is named "lib"', "no-drawer"],
    ["exporter/retryPolicy.ts", "", '"retryPolicy.ts" is not kebab-case', "kebab-case"],
    ["exporter/key_info.ts", "", '"key_info.ts" is not kebab-case', "kebab-case"],
    ["infra/Components/folder.ts", "", '"Components" is not kebab-case', "kebab-case"],
    ["bench/run.ts", "export default function run() {}", "has a default export", "no-default-export"],
    ["bench/run.ts", "const a = 1;\nexport default a;", "has a default export", "no-default-export"],
    ["bench/run.ts", "const a = 1;\nexport { a as default };", "has a default export", "no-default-export"],
    ["bench/run.ts", 'export { default } from "./a.ts";', "has a default export", "no-default-export"],
    ["exporter/app.ts", "export function createApp() {}", '"createApp" without a doc comment', "documented"],
    ["exporter/app.ts", "export interface A {}\nexport function b() {}", '"b" without', "documented"],
    ["exporter/app.ts", "export interface A {}", '"A" without a doc comment', "documented"],
    ["exporter/app.ts", "// A comment.\nexport class App {}", '"App" without a doc comment', "documented"],
    ["exporter/app.ts", "function hidden() {}", "exports nothing", "documented"],
  ])("%s with %j breaks a rule", (path, text, message, rule) => {
    const found = checkArchitecture([{ path, text }]).filter((violation) => violation.rule === rule);
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain(message);
    expect(found[0]?.message).toContain(path);
  });

  test.each<[string, string]>([
    ["exporter/collectors/key.ts", 'import { type KeyInformation, LIMIT_RESETS } from "../gateway/key.ts";'],
    ["exporter/collectors/key.ts", 'import type { Config } from "../config/load.ts";'],
    ["exporter/schedule/engine.ts", 'import { GatewayError } from "../gateway/errors.ts";'],
    ["exporter/schedule/engine.ts", 'import type { Sample } from "../metrics/family.ts";'],
    ["exporter/gateway/usage.ts", 'import { addDecimals } from "../metrics/decimal-sum.ts";'],
    ["exporter/collectors/key.ts", 'import { PROVENANCE } from "../gateway/provenance.ts";'],
    ["exporter/collectors/key.ts", 'import type { Job } from "../schedule/job.ts";'],
    ["exporter/readings/reading.ts", 'import type { KeyInformation } from "../gateway/port.ts";'],
    ["exporter/http/routes.ts", 'import { renderPage } from "../status/page/page.ts";'],
    ["exporter/cli/run.ts", 'import { createApp } from "../app.ts";'],
    ["infra/settings.ts", 'import { longestGapMs } from "../exporter/time/cron.ts";'],
    ["exporter/time/timetable.ts", 'import { schedule } from "node-cron";'],
    [
      "exporter/gateway/connections.ts",
      'import { request } from "undici";\nimport { Secret } from "../config/secret.ts";',
    ],
    ["exporter/app.ts", 'import { createHttp } from "./gateway/http.ts";\nimport { join } from "node:path";'],
    ["exporter/main.ts", 'import { createApp } from "./app.ts";\nprocess.exitCode = 1;'],
    ["exporter/http/status.ts", "child.process; ({ process: 1 });"],
    ["dashboards/spend.ts", 'import { keyFamilies } from "../exporter/collectors/key-families.ts";'],
    ["test/gateway/analytics/query.ts", 'import { books } from "../books.ts";'],
    ["test/support/clock.ts", 'import type { Clock } from "../../exporter/time/clock.ts";'],
    ["test/long.ts", "\n".repeat(400)],
    ["vitest.config.ts", "export default {};"],
    ["exporter/collectors/index.ts", "export const collectors = [];"],
  ])("%s with %j is lawful", (path, text) => {
    const rest = checkArchitecture([{ path, text }]).filter(({ rule }) => rule !== "documented");
    expect(rest).toEqual([]);
  });

  test.each([
    ["the first export", "/** A store. */\nexport interface Store {}\nexport function createStore() {}"],
    [
      "the first value",
      "export interface Options {}\n/** Makes a store. */\nexport function createStore() {}",
    ],
  ])("requires a doc comment for %s", (_name, text) => {
    expect(checkArchitecture([{ path: "exporter/readings/store.ts", text }])).toEqual([]);
  });

  test("finds an import cycle of any length, of types too, and names it", () => {
    const files = [
      { path: "bench/a.ts", text: 'import { b } from "./b.ts";' },
      { path: "bench/b.ts", text: 'import type { C } from "./deep/c.ts";' },
      { path: "bench/deep/c.ts", text: '\nexport * from "../a.ts";' },
      { path: "bench/self.ts", text: 'import "./self.ts";' },
      { path: "bench/leaf.ts", text: 'import "./a.ts";' },
    ];
    expect(checkArchitecture(files).map(({ message }) => message)).toEqual([
      "bench/deep/c.ts:2 closes an import cycle: bench/a.ts → bench/b.ts → bench/deep/c.ts → bench/a.ts",
      "bench/self.ts:1 closes an import cycle: bench/self.ts → bench/self.ts",
    ]);
  });
});
