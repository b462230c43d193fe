import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPacking } from "../../../../exporter/metrics/render/block.ts";
import {
  type Family,
  type Sample,
  gauge,
  info,
  sample,
  stateset,
} from "../../../../exporter/metrics/family.ts";
import { renderNow } from "../../../support/exposition-of.ts";
import { writeNumber } from "../../../../exporter/metrics/render/lines.ts";
import { gunzipSync } from "node:zlib";
import { compose } from "../../../../exporter/metrics/render/renderer.ts";
import { deflate, gzipWithTail } from "../../../../exporter/metrics/render/gzip.ts";

const spend = gauge({ name: "aigateway_test_credits", help: "Spend.", labels: ["key"], absent: "never" });
const about = info({
  name: "aigateway_test_info",
  help: 'A \\ and a "quote".',
  labels: ["key", "team"],
  absent: "never",
});
const reset = stateset({
  name: "aigateway_test_reset",
  help: "State.",
  labels: ["key", "aigateway_test_reset"],
  absent: "never",
});
const unused = gauge({ name: "aigateway_unused", help: "Unused.", labels: ["key"], absent: "always" });
const headers = [spend, unused, about, reset].map((family) => ({ family, help: family.help }));
const samples = [
  [...sample(spend, { key: "a" }, 0.1), ...sample(about, { key: "a", team: "" }, 1)],
  [...sample(spend, { key: "b" }, -2), ...sample(reset, { key: "b", aigateway_test_reset: "daily" }, 1)],
];
const rendered = (...answers: readonly (readonly Sample[])[]) => {
  const packer = createPacking();
  return renderNow(
    headers,
    answers.map((answer) => packer.pack(answer)),
  );
};

describe("headerText()", () => {
  test("groups samples by family in the text format, leaving out families without any", () => {
    expect(rendered(...samples).text).toBe(`# HELP aigateway_test_credits Spend.
# TYPE aigateway_test_credits gauge
aigateway_test_credits{key="a"} 0.1
aigateway_test_credits{key="b"} -2
# HELP aigateway_test_info A \\\\ and a "quote".
# TYPE aigateway_test_info gauge
aigateway_test_info{key="a",team=""} 1
# HELP aigateway_test_reset State.
# TYPE aigateway_test_reset gauge
aigateway_test_reset{key="b",aigateway_test_reset="daily"} 1
`);
  });

  test("writes infos and state sets in OpenMetrics", () => {
    expect(rendered(...samples).openmetrics).toBe(`# TYPE aigateway_test_credits gauge
# HELP aigateway_test_credits Spend.
aigateway_test_credits{key="a"} 0.1
aigateway_test_credits{key="b"} -2
# TYPE aigateway_test info
# HELP aigateway_test A \\\\ and a \\"quote\\".
aigateway_test_info{key="a",team=""} 1
# TYPE aigateway_test_reset stateset
# HELP aigateway_test_reset State.
aigateway_test_reset{key="b",aigateway_test_reset="daily"} 1
`);
  });
});

describe("sample()", () => {
  test.each([[undefined], [null], [Number.NaN], [Number.POSITIVE_INFINITY], [Number.NEGATIVE_INFINITY]])(
    "%s gives no sample",
    (value) => expect(sample(spend, { key: "a" }, value)).toEqual([]),
  );

  test.each([
    [0, "0"],
    [-0, "0"],
    [1e-7, "1e-7"],
    [123456.789012, "123456.789012"],
    [1e21, "1e+21"],
  ])("%d is printed as %s", (value, text) => {
    expect(rendered(sample(spend, { key: "a" }, value)).text).toContain(`{key="a"} ${text}\n`);
  });

  test.each([
    ['quo"te', 'quo\\"te'],
    ["back\\slash", "back\\\\slash"],
    ["two\nlines", "two\\nlines"],
    ["\\n", "\\\\n"],
    ["日本語 🚀", "日本語 🚀"],
    ["lone \ud800", "lone \ufffd"],
    ["", ""],
  ])("the label %j is escaped", (label, escaped) => {
    const [made] = sample(spend, { key: label }, 1);
    expect(made?.labels).toBe(`key="${escaped}"`);
  });
});

function written(value: number): string {
  // Filled, so that an unwritten byte is visible.
  const bytes = Buffer.alloc(26, "x");
  return bytes.toString("latin1", 1, writeNumber(bytes, 1, value));
}

describe("writeNumber()", () => {
  test.each([-0, 0.1 + 0.2, 999999999.9999999, 1000000000.1234, 2 ** 53 + 2, 1e21, 5e-324])(
    "%d is written as String() does",
    (value) => {
      expect(written(value)).toBe(String(value));
    },
  );

  test.each<[string, fc.Arbitrary<number>]>([
    ["any number", fc.double({ noNaN: true, noDefaultInfinity: true })],
    ["a number of usual size", fc.double({ noNaN: true, min: -2e12, max: 2e12 })],
    ["a whole number", fc.maxSafeInteger()],
    [
      "a decimal",
      fc.tuple(fc.maxSafeInteger(), fc.nat(12)).map(([digits, decimals]) => digits / 10 ** decimals),
    ],
    [
      "a neighbour of a decimal",
      fc
        .tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: -2, max: 2 }))
        .map(([digits, steps]) => (digits / 1000) * (1 + steps * Number.EPSILON)),
    ],
  ])("%s is written as String() does", (_kind, numbers) => {
    fc.assert(
      fc.property(numbers, (value) => {
        expect(written(value)).toBe(String(value));
      }),
      { numRuns: 2000 },
    );
  });
});

const family: Family = {
  name: "example_credits",
  type: "gauge",
  help: "Example.",
  labels: ["key"],
  absent: "never",
};

test("a text of many pieces is the same with and without compression", async () => {
  const lines = Array.from(
    { length: 30_000 },
    (_, index) => `example_credits{key="key-${index}"} ${index}\n`,
  );
  const texts = Array.from({ length: 300 }, (_, index) =>
    lines.slice(index * 100, (index + 1) * 100).join(""),
  );
  // One text that is longer than a batch of inflating.
  texts.splice(150, 0, `example_credits{key="${"x".repeat(3_000_000)}"} 1\n`);
  const pieces = await Promise.all(texts.map((text) => deflate(Buffer.from(text))));
  const document = await compose([{ family, help: family.help }], "text", () => pieces, deflate);

  const text = Buffer.concat([...(await document.text())]).toString();
  const nothing = await deflate(Buffer.alloc(0));
  const unpacked = gunzipSync(Buffer.concat([...gzipWithTail(document, nothing, Buffer.alloc(0))]));
  const expected = `# HELP example_credits Example.\n# TYPE example_credits gauge\n${texts.join("")}`;
  expect(text === expected).toBe(true);
  expect(unpacked.toString() === expected).toBe(true);
});
