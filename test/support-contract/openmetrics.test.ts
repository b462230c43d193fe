import { describe, expect, test } from "vitest";

import { ExpositionError, parseOpenMetrics, parseTextFormat } from "../support/openmetrics.ts";

const GOOD_OPENMETRICS = String.raw`# TYPE build info
# HELP build Version \"1\" of C:\\gateway\nand more.
build_info{version="1.2",path="C:\\x",quoted="\"a\"",lines="a\nb",empty=""} 1
# TYPE key_limit_credits gauge
# UNIT key_limit_credits credits
# HELP key_limit_credits Größe 💳.
key_limit_credits{key="billing"} -1.5e-3
key_limit_credits{key="search"} +Inf
key_limit_credits{key="wiki"} NaN
key_limit_credits .5
# TYPE polls counter
polls_total{key="a"} 12 1764000000.25 # {trace_id="KOO5S4vxi0o"} 0.67 1764000000
polls_created{key="a"} 1763000000
polls_total{key="b"} 0
# TYPE reset stateset
reset{reset="never"} 1
reset{reset="daily"} 0
# HELP took_seconds Time.
# TYPE took_seconds histogram
took_seconds_bucket{le="0.1"} 1
took_seconds_bucket{le="1e1"} 1 # {} 5
took_seconds_bucket{le="+Inf"} 3
took_seconds_count 3
took_seconds_sum 4.5
took_seconds_created 1763000000.5
# TYPE waiting gaugehistogram
waiting_bucket{le="+Inf"} 2
waiting_gcount 2
waiting_gsum -4
# TYPE size_bytes summary
size_bytes{quantile="0.5"} NaN
size_bytes{quantile="1"} 3
size_bytes_sum 7
size_bytes_count 2
# TYPE described gauge
free:form 1 1
free:form 2 2.5
# EOF
`;

const GOOD_TEXT = String.raw`# A comment.

# HELP polls_total Says "hello" and \\ and \n.
# TYPE polls_total counter
polls_total{key="a\"b\\c\nd"} 12 1764000000250

# TYPE took_seconds histogram
took_seconds_bucket{le="0.1"} 1
took_seconds_bucket{le="+Inf"} 2
took_seconds_sum 4.5
took_seconds_count 2
# TYPE size summary
size{quantile="0.99"} 1
size_sum 7
size_count 2
# TYPE plain untyped
plain 1
bare -Inf
`;

describe("parseOpenMetrics", () => {
  test("reads names, labels, escapes, numbers, timestamps and exemplars", () => {
    const families = parseOpenMetrics(GOOD_OPENMETRICS);
    expect([...families.values()].map(({ name, type, line }) => [name, type, line])).toEqual([
      ["build", "info", 1],
      ["key_limit_credits", "gauge", 4],
      ["polls", "counter", 11],
      ["reset", "stateset", 15],
      ["took_seconds", "histogram", 18],
      ["waiting", "gaugehistogram", 26],
      ["size_bytes", "summary", 30],
      ["described", "gauge", 35],
      ["free:form", "unknown", 36],
    ]);
    const build = families.get("build");
    expect(build?.help).toBe('Version "1" of C:\\gateway\nand more.');
    expect(build?.samples[0]).toEqual({
      name: "build_info",
      labels: { version: "1.2", path: "C:\\x", quoted: '"a"', lines: "a\nb", empty: "" },
      value: 1,
      at: undefined,
      exemplar: undefined,
      line: 3,
    });
    const limit = families.get("key_limit_credits");
    expect(limit).toMatchObject({ unit: "credits", help: "Größe 💳." });
    expect(limit?.samples.map(({ value }) => value)).toEqual([-0.0015, Infinity, NaN, 0.5]);
    expect(families.get("polls")?.samples[0]).toMatchObject({
      at: 1764000000250,
      exemplar: { labels: { trace_id: "KOO5S4vxi0o" }, value: 0.67 },
    });
    expect(families.get("free:form")?.samples.map(({ at }) => at)).toEqual([1000, 2500]);
    expect(families.get("described")?.samples).toEqual([]);
  });

  test("reads an exposition without metrics", () => {
    expect(parseOpenMetrics("# EOF\n").size).toBe(0);
    expect(parseOpenMetrics("# EOF").size).toBe(0);
  });

  const gauge = "# TYPE a gauge\n";
  test.each([
    // The frame
    ["nothing", "", 1, 'no "# EOF"', true],
    ["no EOF", "a 1\n", 1, 'no "# EOF"', true],
    ["a space after EOF", "a 1\n# EOF \n", 2, 'no "# EOF"', true],
    ["text after EOF", "a 1\n# EOF\nb 1\n", 3, 'text after "# EOF"', true],
    ["a second EOF", "a 1\n# EOF\n# EOF\n", 3, 'text after "# EOF"', true],
    ["a blank line after EOF", "a 1\n# EOF\n\n", 3, 'text after "# EOF"', true],
    ["a blank line", "a 1\n\nb 1\n", 2, "want metric name"],
    ["a comment", "# hello\na 1\n", 1, "comment"],
    ["carriage returns", "a 1\r\n", 1, "unexpected"],
    ["a byte order mark", "\uFEFFa 1\n", 1, "want metric name"],
    ["half of a surrogate pair", 'a{b="\uD800"} 1\n', 1, "surrogate"],
    // Descriptors
    ["an unknown type", "# TYPE a gage\n", 1, 'unknown type "gage"'],
    ["the text format's untyped", "# TYPE a untyped\n", 1, 'unknown type "untyped"'],
    ["a type in capitals", "# TYPE a GAUGE\n", 1, "want type"],
    ["two spaces in a descriptor", "# TYPE  a gauge\n", 1, "want metric name"],
    ["a space after the type", "# TYPE a gauge \n", 1, "unexpected"],
    ["a descriptor without name", "# HELP \n", 1, "want metric name"],
    ["a HELP without text or space", "# HELP a\n", 1, "want space"],
    ["a HELP with a bare quote", '# HELP a say "x"\n', 1, 'unescaped "'],
    ["a HELP with an unknown escape", "# HELP a C:\\path\n", 1, "escape"],
    ["a HELP that ends with a backslash", "# HELP a x\\\n", 1, "escape"],
    ["a second TYPE", "# TYPE a gauge\n# TYPE a gauge\n", 2, 'second TYPE of "a"'],
    ["a second HELP", "# HELP a x\n# HELP a x\n", 2, 'second HELP of "a"'],
    ["a second UNIT", "# UNIT a_s s\n# UNIT a_s s\n", 2, 'second UNIT of "a_s"'],
    ["a TYPE after samples", "a 1\n# TYPE a gauge\n", 2, "after its samples"],
    ["a HELP after samples", `${gauge}a 1\n# HELP a x\n`, 3, "after its samples"],
    ["a unit that is not a suffix", "# TYPE a_ms gauge\n# UNIT a_ms seconds\n", 1, "is not the suffix"],
    ["a unit that is the whole name", "# UNIT credits credits\n", 1, "is not the suffix"],
    ["a unit of an info", "# TYPE a_s info\n# UNIT a_s s\n", 1, "want none for info"],
    ["a unit of a stateset", "# TYPE a_s stateset\n# UNIT a_s s\n", 1, "want none for stateset"],
    // Families
    ["interleaved families", `${gauge}a 1\nb 1\na{x="1"} 2\n`, 4, "ended already"],
    ["a family that is described twice", `${gauge}a 1\n# TYPE b gauge\n# TYPE a gauge\n`, 4, "ended already"],
    ["a sample of an earlier counter", "# TYPE a counter\na_total 1\nb 1\na_created 1\n", 4, "ended already"],
    [
      "a family named like another's sample",
      "# TYPE a counter\na_total 1\n# TYPE a_total gauge\n",
      3,
      "ended already",
    ],
    [
      "a family that claims another's name",
      "# TYPE a_total gauge\na_total 1\n# TYPE a counter\n",
      3,
      "clashes",
    ],
    ["a counter without suffix", "# TYPE a counter\na 1\n", 2, 'want "a_total" or "a_created"'],
    ["an info without suffix", "# TYPE a info\na 1\n", 2, 'want "a_info"'],
    ["a bare sample of a histogram", "# TYPE h histogram\nh 1\n", 2, 'want "h_bucket"'],
    // Sample lines
    ["a name that begins with a digit", "1a 1\n", 1, "want metric name"],
    ["a dash in a name", "a-b 1\n", 1, "want space"],
    ["a leading space", " a 1\n", 1, "want metric name"],
    ["no value", "a\n", 1, "want space"],
    ["two spaces before the value", "a  1\n", 1, "want number"],
    ["a tab before the value", "a\t1\n", 1, "want space"],
    ["a trailing space", "a 1 \n", 1, "want timestamp"],
    ["a word as value", "a one\n", 1, "want number"],
    ["a hexadecimal value", "a 0x10\n", 1, "unexpected"],
    ["a decimal comma", "a 1,5\n", 1, "unexpected"],
    ["an undefined value", "a undefined\n", 1, "want number"],
    ["a signed NaN", "a -NaN\n", 1, "want number"],
    ["a timestamp that is not a number", "a 1 NaN\n", 1, "want timestamp"],
    ["a space before the labels", 'a {b="1"} 1\n', 1, "want number"],
    ["a space between labels", 'a{b="1", c="2"} 1\n', 1, "want label name"],
    ["a trailing comma", 'a{b="1",} 1\n', 1, "want label name"],
    ["a label name with a colon", 'a{b:c="1"} 1\n', 1, 'want ="'],
    ["a label name with a dash", 'a{b-c="1"} 1\n', 1, 'want ="'],
    ["a reserved label name", 'a{__name__="1"} 1\n', 1, "is reserved"],
    ["a duplicate label", 'a{b="1",b="1"} 1\n', 1, 'second label "b"'],
    ["single quotes", "a{b='1'} 1\n", 1, 'want ="'],
    ["an unclosed label value", 'a{b="1} 1\n', 1, 'want "'],
    ["an unclosed label set", 'a{b="1" 1\n', 1, "want }"],
    ["a bare quote in a label value", 'a{b="say "x""} 1\n', 1, "want }"],
    ["an unknown escape", 'a{b="C:\\path"} 1\n', 1, 'escape "\\p"'],
    ["a raw line feed in a label value", 'a{b="1\n2"} 1\n', 1, 'want "'],
    // Series
    ["the same series twice", `${gauge}a{b="1",c="2"} 1\na{c="2",b="1"} 2\n`, 3, "occurs on line 2 already"],
    ["the same series but for an empty label", `${gauge}a 1\na{b=""} 1\n`, 3, "occurs on line 2 already"],
    ["timestamps that do not grow", `${gauge}a 1 5\na 2 5\n`, 3, "occurs on line 2 already"],
    ["an exemplar on a gauge", `${gauge}a 1 # {} 1\n`, 2, "exemplar"],
    [
      "an exemplar that is too long",
      `# TYPE a counter\na_total 1 # {b="${"x".repeat(128)}"} 1\n`,
      2,
      "129 characters",
    ],
    // Types
    ["a negative counter", "# TYPE a counter\na_total -1\n", 2, "want 0 or more"],
    ["a counter that is NaN", "# TYPE a counter\na_total NaN\n", 2, "want 0 or more"],
    ["a counter without a value", "# TYPE a counter\na_created 1\n", 2, 'no "a_total"'],
    ["an info of 0", "# TYPE a info\na_info 0\n", 2, "want 1"],
    ["a state without its label", '# TYPE a stateset\na{state="x"} 1\n', 2, 'no label "a"'],
    ["a state of 2", '# TYPE a stateset\na{a="x"} 2\n', 2, "want 0 or 1"],
    ["a duplicate state", '# TYPE a stateset\na{a="x"} 1\na{a="x"} 0\n', 3, "occurs on line 2 already"],
    ["a summary sample without quantile", "# TYPE a summary\na 1\n", 2, "quantile undefined"],
    ["a quantile of 99", '# TYPE a summary\na{quantile="99"} 1\n', 2, 'quantile "99"'],
    ["a negative sum of a summary", "# TYPE a summary\na_sum -1\na_count 1\n", 2, "want 0 or more"],
    [
      "a quantile on a count",
      '# TYPE a summary\na_sum 1\na_count{quantile="1"} 1\n',
      3,
      'quantile on "a_count"',
    ],
    [
      "a bound on a count",
      bucket('h_bucket{le="+Inf"} 1', 'h_count{le="+Inf"} 1', "h_sum 1"),
      3,
      'le on "h_count"',
    ],
    ["a histogram without +Inf", bucket('h_bucket{le="1"} 1', "h_count 1", "h_sum 1"), 2, 'no bucket "+Inf"'],
    ["a histogram with only a count", bucket("h_count 1", "h_sum 1"), 2, 'no bucket "+Inf"'],
    ["a bucket without bound", bucket("h_bucket 1"), 2, "bucket bound undefined"],
    [
      "bounds out of order",
      bucket('h_bucket{le="2"} 1', 'h_bucket{le="1"} 1', 'h_bucket{le="+Inf"} 1'),
      3,
      "greater",
    ],
    ["buckets that shrink", bucket('h_bucket{le="1"} 2', 'h_bucket{le="+Inf"} 1'), 3, "want it cumulative"],
    [
      "a count unlike +Inf",
      bucket('h_bucket{le="+Inf"} 1', "h_sum 1", "h_count 2"),
      4,
      'count of 2, want 1 as in "+Inf"',
    ],
    ["a sum without count", bucket('h_bucket{le="+Inf"} 1', "h_sum 1"), 2, "only one of a sum and a count"],
    [
      "interleaved histograms",
      bucket(
        'h_bucket{k="a",le="+Inf"} 1',
        'h_bucket{k="b",le="+Inf"} 1',
        'h_count{k="a"} 1',
        'h_sum{k="a"} 1',
      ),
      4,
      "not together",
    ],
  ])("refuses %s", (_name, text, line, message, framed = false) => {
    const error = failureOf(() => parseOpenMetrics(framed ? text : `${text}# EOF\n`));
    expect(error.message).toContain(message);
    expect(error.line).toBe(line);
  });
});

describe("parseTextFormat", () => {
  test("reads counters with their suffix, histograms, summaries, comments and blank lines", () => {
    const families = parseTextFormat(GOOD_TEXT);
    expect([...families.values()].map(({ name, type, line }) => [name, type, line])).toEqual([
      ["polls_total", "counter", 3],
      ["took_seconds", "histogram", 7],
      ["size", "summary", 12],
      ["plain", "unknown", 16],
      ["bare", "unknown", 18],
    ]);
    expect(families.get("polls_total")).toMatchObject({
      help: 'Says "hello" and \\ and \n.',
      samples: [{ labels: { key: 'a"b\\c\nd' }, value: 12, at: 1764000000250 }],
    });
    expect(parseTextFormat("").size).toBe(0);
  });

  test.each([
    ["no line feed at the end", "a 1", 1, "no line feed"],
    ["OpenMetrics' info", "# TYPE a info\n", 1, 'unknown type "info"'],
    ["an escaped quote in HELP", '# HELP a \\"x\\"\n', 1, "escape"],
    ["a fractional timestamp", "a 1 1.5\n", 1, "unexpected"],
    ["an exemplar", 'a 1 # {b="1"} 1\n', 1, "unexpected"],
    ["a counter sample with another suffix", "# TYPE a counter\na 1\nb 1\na 2\n", 4, "ended already"],
    ["a second TYPE", "# TYPE a gauge\n# TYPE a gauge\n", 2, "second TYPE"],
    ["a TYPE after samples", "a 1\n# TYPE a gauge\n", 2, "after its samples"],
    ["a series twice", "a 1\na 1\n", 2, "occurs on line 1 already"],
    ["a negative counter", "# TYPE a counter\na -1\n", 2, "want 0 or more"],
    [
      "a histogram without +Inf",
      '# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
      2,
      'no bucket "+Inf"',
    ],
    ["a bad escape", 'a{b="\\x"} 1\n', 1, "escape"],
  ])("refuses %s", (_name, text, line, message) => {
    const error = failureOf(() => parseTextFormat(text));
    expect(error.message).toContain(message);
    expect(error.line).toBe(line);
  });
});

function bucket(...rest: readonly string[]): string {
  return ["# TYPE h histogram", ...rest, ""].join("\n");
}

function failureOf(parse: () => unknown): ExpositionError {
  try {
    parse();
  } catch (error) {
    if (error instanceof ExpositionError) return error;
    throw error;
  }
  throw new Error("Cannot find an error: the text was accepted");
}
