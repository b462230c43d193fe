import { expect, test } from "vitest";
import { parseOpenMetrics, parseTextFormat } from "../support/openmetrics.ts";

const HISTOGRAM = "# TYPE h histogram\n";

test("expositions are read with names, labels, escapes and numbers", () => {
  const families = parseOpenMetrics(String.raw`# TYPE build info
# HELP build Version \"1\" of C:\\gateway\nand more.
build_info{path="C:\\x",quoted="\"a\"} 1",lines="a\nb",empty=""} 1
# TYPE limit_credits gauge
# UNIT limit_credits credits
limit_credits{key="billing"} -1.5e-3
limit_credits{key="search"} +Inf
limit_credits NaN
# TYPE polls counter
polls_total 12
# TYPE h histogram
h_bucket{le="0.1"} 1
h_bucket{le="+Inf"} 3
h_count 3
h_sum 4.5
# EOF
`);
  expect([...families.values()].map(({ name, type, unit }) => [name, type, unit])).toEqual([
    ["build", "info", ""],
    ["limit_credits", "gauge", "credits"],
    ["polls", "counter", ""],
    ["h", "histogram", ""],
  ]);
  expect(families.get("build")?.help).toBe('Version "1" of C:\\gateway\nand more.');
  expect(families.get("build")?.samples[0]?.labels).toEqual({
    path: "C:\\x",
    quoted: '"a"} 1',
    lines: "a\nb",
    empty: "",
  });
  expect(families.get("limit_credits")?.samples.map(({ value }) => value)).toEqual([-0.0015, Infinity, NaN]);
  const text = parseTextFormat(
    '# A comment.\n\n# HELP a_total Says "hi" \\\\.\n# TYPE a_total counter\na_total 1\nb -Inf\n',
  );
  expect(text.get("a_total")).toMatchObject({ type: "counter", help: 'Says "hi" \\.' });
  expect(text.get("b")?.samples[0]?.value).toBe(-Infinity);
});

test.each([
  ["a blank line", "a 1\n\nb 1\n", 2],
  ["text after the end", "a 1\n# EOF\nb 1\n", 2],
  ["a unit that is not a suffix", "# TYPE a_ms gauge\n# UNIT a_ms seconds\n", 2],
  ["interleaved families", 'a 1\nb 1\na{x="1"} 2\n', 3],
  ["a counter without suffix", "# TYPE a counter\na 1\n", 2],
  ["a type of the other format", "# TYPE a untyped\n", 1],
  ["a word as value", "a one\n", 1],
  ["an unknown escape", 'a{b="\\t"} 1\n', 1],
  ["a trailing comma", 'a{b="1",} 1\n', 1],
  ["a duplicate label", 'a{b="1",b="1"} 1\n', 1],
  ["the same series twice", 'a{b="1",c="2"} 1\na{c="2",b="1"} 2\n', 2],
  ["a negative counter", "# TYPE a counter\na_total -1\n", 2],
  ["an info of 0", "# TYPE a info\na_info 0\n", 2],
  ["a histogram without +Inf", `${HISTOGRAM}h_bucket{le="1"} 1\nh_count 1\n`, 3],
  ["buckets that shrink", `${HISTOGRAM}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_count 1\n`, 4],
])("%s is refused", (_name, text, line) => {
  expect(() => parseOpenMetrics(`${text}# EOF\n`)).toThrow(`Line ${line}: `);
});

test("an exposition without its end is refused", () => {
  expect(() => parseOpenMetrics("a 1\n")).toThrow('no "# EOF"');
  expect(() => parseTextFormat("a 1")).toThrow("no line feed");
});
