import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createPacking } from "../../../../exporter/metrics/render/block.ts";
import { compose } from "../../../../exporter/metrics/render/document.ts";
import { renderNow } from "../../../../exporter/metrics/render/exposition.ts";
import { gauge, info, type Sample, sample, stateset } from "../../../../exporter/metrics/family.ts";
import { deflate, deflateNow, gzipWithTail } from "../../../../exporter/metrics/render/gzip.ts";

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

describe("renderNow()", () => {
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

test.each([100, 30_000, 300_000])("labels of %d characters do not damage their neighbours", (length) => {
  for (const character of ["x", "日"]) {
    const keys = ["a", character.repeat(length), "b"];
    const lines = keys.map((key) => `aigateway_test_credits{key="${key}"} 1.5\n`);
    const { text } = rendered(keys.flatMap((key) => sample(spend, { key }, 1.5)));
    expect(text.split("gauge\n")[1] === lines.join("")).toBe(true);
  }
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

describe("gzipWithTail()", () => {
  test.each<[readonly string[], string]>([
    [[], ""],
    [[], "tail"],
    [["one\n", "two\n".repeat(10_000), "\u65e5\u672c\u8a9e\n"], "tail"],
    [["one\n", "two\n"], ""],
  ])("makes one gzip member of the pieces and the tail (%#)", async (pieces, tail) => {
    const parts = await Promise.all(pieces.map((piece) => deflate(Buffer.from(piece))));
    const families = [{ family: spend, help: "x" }];
    const ready = await compose(families, "text", () => parts, deflate);
    const text = Buffer.concat(await ready.text()).toString();
    expect(text.endsWith(pieces.join(""))).toBe(true);
    const sent = Buffer.concat(gzipWithTail(ready, deflateNow(Buffer.from("middle")), Buffer.from(tail)));
    expect(gunzipSync(sent).toString()).toBe(`${text}middle${tail}`);
  });
});
