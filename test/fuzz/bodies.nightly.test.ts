import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUERIES } from "../../exporter/collectors/analytics-families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { keySamples } from "../../exporter/collectors/key.ts";
import { GatewayError } from "../../exporter/gateway/errors.ts";
import { readResponse } from "../../exporter/gateway/response.ts";
import { parseKey } from "../../exporter/gateway/wire/key.ts";
import { sampleLines } from "../support/exposition-of.ts";
import { runOn } from "../exporter/collectors/analytics-exposition.ts";
import { CONTRACT_DATA, keyConfig, NOON } from "../exporter/collectors/key-exposition.ts";
import { runs, TIMEOUT_MS } from "./runs.ts";

const json = fc.jsonValue({ maxDepth: 4 });
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "_other", "_none", "__proto__", "\ud800", 'a\n"\\'),
);
const amount = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.double().map(String),
  fc.constantFrom("1523", "0.1", "", null),
);
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toJSON()),
  text,
);

/** An object with most of these fields, most of them of the right type. */
function likely(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  const strange = Object.entries(fields).map(([name, value]): [string, fc.Arbitrary<unknown>] => [
    name,
    fc.oneof(
      { weight: 40, arbitrary: value },
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: json },
    ),
  ]);
  return fc.record(Object.fromEntries(strange)).map((made): unknown => JSON.parse(JSON.stringify(made)));
}

/** Any JSON, or a likely body with the variants that a service may have. */
function anyOr(body: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 1, arbitrary: json }, { weight: 9, arbitrary: body });
}

const keyBody = anyOr(
  likely({
    data: likely({
      ...Object.fromEntries(Object.keys(CONTRACT_DATA).map((name) => [name, amount])),
      label: text,
      limit_reset: fc.oneof(text, fc.constantFrom("daily", "weekly", "monthly", "never")),
      include_byok_in_limit: fc.boolean(),
      is_free_tier: fc.boolean(),
      expires_at: time,
      free_model_daily_requests: likely({ limit: amount, used: amount, remaining: amount }),
    }),
  }),
);

const row = likely({
  model: text,
  app: text,
  ...Object.fromEntries(
    ["total_usage", "request_count", "tokens_total", "tokens_prompt", "cache_hit_rate", "avg_latency"].map(
      (name) => [name, amount],
    ),
  ),
});

const analyticsBodies = anyOr(
  likely({
    data: likely({
      data: fc.array(row, { maxLength: 6 }),
      metadata: likely({ truncated: fc.boolean(), query_time_ms: amount, row_count: amount }),
      cachedAt: amount,
      warnings: fc.array(text, { maxLength: 2 }),
    }),
  }),
);

/** Bytes with some replaced, deleted or inserted. */
function mutated(bytes: Buffer): fc.Arbitrary<Buffer> {
  const put = fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.constantFrom("0", '"', "e9", "-", "null", "[]", ",", "}"),
  );
  const edit = fc.record({ at: fc.nat(bytes.length), cut: fc.nat(3), put });
  return fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) =>
      edits.reduce(
        (all, { at, cut, put: piece }) =>
          Buffer.concat([all.subarray(0, at), Buffer.from(piece), all.subarray(at + cut)]),
        bytes,
      ),
    );
}

/** The samples of a body about a key. */
function samplesOf(config: ReturnType<typeof keyConfig>, body: unknown, requestedAtMs: number) {
  return keySamples(config, parseKey(body, "read it"), requestedAtMs);
}

/** The lines of an answer after the strict parser has accepted them; none when the answer was rejected as a bad response. */
async function linesUnlessRejected(read: () => Promise<readonly string[]> | readonly string[]) {
  try {
    return await read();
  } catch (error) {
    const rejected = error instanceof GatewayError && error.kind === "bad_response";
    if (!rejected || !/^Cannot \S/.test(error.message)) throw error;
    return [];
  }
}

describe("any body at all", () => {
  test(
    "about a key is rejected as a bad response, or gives a parseable exposition",
    async () => {
      let shown = 0;
      const property = fc.asyncProperty(
        keyBody,
        fc.boolean(),
        fc.date({ noInvalidDate: true, min: new Date(0) }),
        async (body, showLabel, at) => {
          const lines = await linesUnlessRejected(() =>
            sampleLines(Object.values(keyFamilies), samplesOf(keyConfig(showLabel), body, at.getTime())),
          );
          shown += Number(lines.length > 1);
        },
      );
      await fc.assert(property, runs(120));
      expect(shown).toBeGreaterThan(15);
    },
    TIMEOUT_MS,
  );

  test(
    "about analytics is rejected as a bad response, or gives a parseable exposition",
    async () => {
      let shown = 0;
      const options = fc.record({ query: fc.constantFrom(...QUERIES), top: fc.nat(3), rates: fc.boolean() });
      const property = fc.asyncProperty(
        fc.tuple(analyticsBodies, analyticsBodies),
        analyticsBodies,
        options,
        async (grouped, total, chosen) => {
          const lines = await linesUnlessRejected(async () => (await runOn(grouped, total, chosen)).lines);
          shown += Number(lines.some((line) => line.includes("aigateway_usage_")));
        },
      );
      await fc.assert(property, runs(120));
      expect(shown).toBeGreaterThan(15);
    },
    TIMEOUT_MS,
  );

  test(
    "with some bytes of a valid answer changed is rejected, or gives an exposition",
    async () => {
      let shown = 0;
      const head = { status: 200, headers: {} };
      const property = fc.asyncProperty(
        mutated(Buffer.from(JSON.stringify({ data: CONTRACT_DATA }))),
        async (bytes) => {
          const lines = await linesUnlessRejected(() => {
            const read = readResponse({ ...head, body: bytes.toString() }, "read it", NOON);
            if (read instanceof GatewayError) throw read;
            return sampleLines(Object.values(keyFamilies), samplesOf(keyConfig(), read.body, NOON));
          });
          shown += Number(lines.length > 1);
        },
      );
      await fc.assert(property, runs(140));
      expect(shown).toBeGreaterThan(5);
    },
    TIMEOUT_MS,
  );
});
