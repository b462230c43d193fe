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

/**
 * Fields, metrics and paths of the gateway's API. Only its adapter may know them (docs/architecture.md). Names that our
 * configuration has as well, such as reasoning_tokens, are left out.
 */
const WIRE_NAMES =
  /(?<![\w-])(?:total_usage|request_count|tokens_(?:total|prompt|completion)|cache_hit_rate|avg_latency|p90_latency|limit_remaining|limit_reset|(?:byok_)?usage_(?:daily|weekly|monthly)|byok_usage|include_byok_in_limit|is_free_tier|expires_at|free_model_daily_requests|is_management_key|total_credits|credits_usage|include_disabled|cachedAt|query_time_ms|input_audio)(?![\w-])|\bGET \/keys?\b|\bGET \/credits\b|\bPOST \/(?!-)|\/analytics\/(?:query|meta)|\/audio\/transcriptions/g;

const wireNamesIn = (text: string) => [...text.matchAll(WIRE_NAMES)].map(([name]) => name);

test("no wire name of the gateway occurs outside its adapter", () => {
  const found = sourceFiles(["exporter", "dashboards"])
    .filter(({ path }) => !path.startsWith("exporter/gateway/"))
    .flatMap(({ path, text }) => wireNamesIn(text).map((name) => `${path}: ${name}`));
  expect(found).toEqual([]);
});
