import { expect, test } from "vitest";
import { sourceFiles } from "./support/repository.ts";

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
