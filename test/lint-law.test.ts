import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { describe, expect, test } from "vitest";

import { lintLawText } from "./support/lint-law.ts";
import { ROOT } from "./support/repository.ts";

test(".oxlintrc.law.json has the import law (`npm run law:update` writes it)", async () => {
  await expect(lintLawText()).toMatchFileSnapshot(join(ROOT, ".oxlintrc.law.json"));
});

/** Imports that break the law, most of them in nested folders. */
const BROKEN: readonly (readonly [string, string])[] = [
  ["exporter/time/deep/a.ts", 'import { a } from "../../config/config.ts";'],
  ["exporter/config/web/a.ts", 'import { a } from "../../gateway/http.ts";'],
  ["exporter/config/a.ts", 'import cron from "node-cron";'],
  ["exporter/gateway/wire/a.ts", 'import { a } from "../../config/load.ts";'],
  ["exporter/gateway/wire/a.ts", 'import type { A } from "../../metrics/render/publisher.ts";'],
  ["exporter/gateway/wire/a.ts", 'import { request } from "undici";'],
  ["exporter/readings/deep/a.ts", 'import { a } from "../../gateway/http.ts";'],
  ["exporter/metrics/render/a.ts", 'import type { A } from "../../readings/readings.ts";'],
  ["exporter/schedule/a.ts", 'import { a } from "../gateway/http.ts";'],
  ["exporter/schedule/deep/a.ts", 'import type { A } from "../../collectors/key.ts";'],
  ["exporter/collectors/deep/a.ts", 'import { a } from "../../gateway/http.ts";'],
  ["exporter/collectors/deep/a.ts", 'import * as all from "../../gateway/port.ts";'],
  ["exporter/probes/a.ts", 'import { a } from "../budgets/budget-status.ts";'],
  ["exporter/budgets/a.ts", 'import type { A } from "../collectors/key.ts";'],
  ["exporter/status/page/a.ts", 'import type { A } from "../../schedule/engine.ts";'],
  ["exporter/status/page/a.ts", 'import { a } from "../../budgets/budget-status.ts";'],
  ["exporter/status/page/a.ts", 'import { a } from "../../app.ts";'],
  ["exporter/status/page/a.ts", 'import { a } from "../../../test/support/clock.ts";'],
  ["exporter/http/deep/a.ts", 'import { Gauge } from "prom-client";'],
  ["exporter/http/deep/a.ts", 'import { a } from "../../probes/prober.ts";'],
  ["exporter/cli/deep/a.ts", 'import { a } from "../../main.ts";'],
  ["exporter/app.ts", 'import { a } from "./cli/run.ts";'],
  ["exporter/log.ts", 'import { a } from "./app.ts";'],
  ["exporter/main.ts", 'import { a } from "../dashboards/index.ts";'],
  ["dashboards/panels/a.ts", 'import { a } from "../../exporter/collectors/key.ts";'],
  ["dashboards/panels/a.ts", 'import { a } from "../../test/support/clock.ts";'],
  ["infra/parts/a.ts", 'import { a } from "../../exporter/app.ts";'],
  ["infra/parts/a.ts", 'import { request } from "undici/types";'],
  ["test/gateway/analytics/a.ts", 'import type { A } from "../../../exporter/gateway/port.ts";'],
  ["test/gateway/analytics/a.ts", 'import { a } from "../../support/clock.ts";'],
];

/** Imports that obey the law. */
const LAWFUL: readonly (readonly [string, string])[] = [
  ["exporter/config/budgets/a.ts", 'import { a } from "../schema.ts";'],
  ["exporter/config/a.ts", 'import { a } from "./budgets/schema.ts";'],
  ["exporter/gateway/connections.ts", 'import { request } from "undici";'],
  ["exporter/gateway/wire/a.ts", 'import type { A } from "../../config/config.ts";'],
  ["exporter/gateway/wire/a.ts", 'import { Secret } from "../../config/secret.ts";'],
  ["exporter/metrics/render/a.ts", 'import { a } from "../../time/window.ts";'],
  ["exporter/metrics/deep/a.ts", 'import { Gauge } from "prom-client";'],
  ["exporter/time/a.ts", 'import { parse } from "node-cron";'],
  ["exporter/readings/a.ts", 'import type { A } from "../gateway/port.ts";'],
  ["exporter/schedule/a.ts", 'import { GatewayError } from "../gateway/errors.ts";'],
  ["exporter/collectors/a.ts", 'import { type A, LIMIT_RESETS } from "../gateway/port.ts";'],
  ["exporter/gateway/a.ts", 'import { a } from "../metrics/decimal-sum.ts";'],
  ["exporter/status/page/a.ts", 'import type { A } from "../../budgets/budget-status.ts";'],
  ["exporter/http/a.ts", 'import { a } from "../status/page/page.ts";'],
  ["exporter/cli/a.ts", 'import { a } from "../app.ts";'],
  ["exporter/app.ts", 'import { a } from "./schedule/engine.ts";'],
  ["exporter/http/bcrypt-worker.ts", 'import { compareSync } from "bcryptjs";'],
  ["exporter/main.ts", 'import { a } from "./cli/run.ts";'],
  ["dashboards/panels/a.ts", 'import { a } from "../../exporter/collectors/key-families.ts";'],
  ["infra/parts/a.ts", 'import { a } from "../../exporter/time/cron.ts";'],
  ["test/gateway/analytics/a.ts", 'import { a } from "../books.ts";'],
];

describe("the linter", () => {
  const [refused, allowed] = [lint(BROKEN), lint(LAWFUL)];

  test.each(BROKEN.map(([path, text], index) => ({ path, text, index })))(
    "refuses in $path: $text",
    ({ path, index }) => {
      expect(refused).toContain(scratch(path, index));
    },
  );

  test.each(LAWFUL.map(([path, text], index) => ({ path, text, index })))(
    "allows in $path: $text",
    ({ path, index }) => {
      expect(allowed).not.toContain(scratch(path, index));
    },
  );
});

/** The scratch files with an import that the law's overrides refuse. */
function lint(cases: typeof BROKEN): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), "lint-law-"));
  // Without the other rules, because some of them need the whole project.
  const config = { categories: { correctness: "off" }, extends: ["./.oxlintrc.law.json"] };
  writeFileSync(join(directory, ".oxlintrc.json"), JSON.stringify(config));
  writeFileSync(join(directory, ".oxlintrc.law.json"), lintLawText());
  for (const [index, [path, text]] of cases.entries()) {
    const file = join(directory, scratch(path, index));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
  const oxlint = join(ROOT, "node_modules", "oxlint", "bin", "oxlint");
  const { stdout } = spawnSync(process.execPath, [oxlint, "-f", "unix", "."], {
    cwd: directory,
    encoding: "utf8",
  });
  rmSync(directory, { recursive: true });
  const lines = stdout.split("\n").filter((line) => line.includes("no-restricted-imports"));
  return lines.map((line) => line.split(":")[0] ?? "");
}

/** Each case has its own path; a file that the law names keeps its name. */
function scratch(path: string, index: number): string {
  return path.replace(/\ba\.ts$/, `a${index}.ts`);
}
