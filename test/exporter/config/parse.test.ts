import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseConfig, type ParseResult } from "../../../exporter/config/parse.ts";
import { formatProblem } from "../../../exporter/config/problem.ts";
import { loadText } from "./simulated-files.ts";

const GOOD = {
  gateway: { base_url: "https://gateway.example/api/v1" },
  keys: [{ name: "billing", api_key_file: "/run/secrets/billing" }],
};

describe("parseConfig", () => {
  test("accepts text and values, and reads neither files nor environment", () => {
    const fromValues = parseConfig(GOOD);
    expect(fromValues).toMatchObject({ ok: true, file: { series_limit: 1_000_000 } });
    expect(parseConfig(stringify(GOOD))).toEqual(fromValues);
  });

  test("finds broken rules between fields as well", () => {
    const twice = { ...GOOD, keys: [...GOOD.keys, ...GOOD.keys] };
    expect(parseConfig(twice)).toEqual({
      ok: false,
      problems: [{ path: "keys[1].name", message: '"billing" is already the name of keys[0]' }],
    });
  });

  test.each([undefined, null, "", 5, [], new Date(0), () => GOOD])("refuses %s entirely", (value) => {
    expect(parseConfig(value).ok).toBe(false);
  });

  test("refuses an attack by nested aliases, and endless nesting", () => {
    const levels = ["ab", "bc", "cd", "de", "ef", "fg", "gh"].map((pair) =>
      aliasLevel(pair.charAt(0), pair.charAt(1)),
    );
    const bomb = `a: &a [x, x]\n${levels.join("")}`;
    expect(messages(parseConfig(bomb))).toEqual([
      "its aliases or merge keys (<<) cannot be resolved, or there are too many",
    ]);
    for (const nested of [
      "[".repeat(50_000),
      "{a: ".repeat(20_000),
      `\n${"- ".repeat(20_000)}a`,
      "[".repeat(101),
    ]) {
      // Long before the stack is used up: a regular expression that is compiled at its end ends the process.
      expect(messages(parseConfig(`a: ${nested}`))).toEqual([
        expect.stringMatching(/^line [12], column \d{1,3}: mappings and lists are nested too deeply$/),
      ]);
    }
  });

  test("treats the names of prototypes as unknown fields", () => {
    const result = parseConfig(`${stringify(GOOD)}__proto__: {a: 1}\nconstructor: 5\n`);
    const paths = result.ok ? [] : result.problems.map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["__proto__", "constructor"]);
  });

  test("survives a list that contains itself", () => {
    expect(messages(parseConfig("gateway: &loop {base_url: *loop}\nkeys: &list [*list]\n"))).toEqual([
      "a mapping is not an https URL of the gateway's API root (http for localhost only)",
      "a list is not a mapping",
    ]);
  });
});

describe("any value", () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
  const anything = fc.anything({ withDate: true, withNullPrototype: true, withObjectString: true });
  // Arbitrary values where the schema looks, since a random tree would hardly ever hit a field.
  const field = fc.oneof(
    scalar,
    anything,
    fc.constantFrom("10s", "billing", "https://x.example", "* * * * *"),
  );
  const budget = fc.record(
    {
      name: field,
      window: fc.oneof(field, fc.constantFrom("day", "total")),
      since: field,
      keys: fc.oneof(field, fc.array(field), fc.record({ team: field }, { requiredKeys: [] })),
      model: field,
      account: field,
    },
    { requiredKeys: [] },
  );
  const shaped = fc.record(
    {
      gateway: fc.oneof(
        field,
        fc.record(
          { base_url: field, timeout: field, deadline: field, max_body: field, connections: field },
          { requiredKeys: [] },
        ),
      ),
      keys: fc.oneof(
        field,
        fc.array(
          fc.oneof(
            field,
            fc.record(
              { name: field, api_key_file: field, api_key_env: field, owner: field },
              { requiredKeys: [] },
            ),
          ),
        ),
      ),
      keys_dir: field,
      analytics: fc.oneof(field, fc.record({ management_key_env: field, top: field }, { requiredKeys: [] })),
      budgets: fc.oneof(field, fc.array(fc.oneof(field, budget))),
      schedule: fc.oneof(field, fc.record({ keys: field, analytics: field }, { requiredKeys: [] })),
      credit_value: field,
    },
    { requiredKeys: [] },
  );

  test("returns a file or problems and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(anything, shaped), (value) => {
        expect(flaws(parseConfig(value))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("as YAML returns a configuration or problems and never throws", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(shaped, fc.jsonValue()), async (value) => {
        const result = await loadText(safeYaml(value));
        expect(result.ok || result.problems.length > 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("as any text returns a file or problems and never throws", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 4 }),
      fc.constantFrom(
        "gateway:",
        "keys: ",
        "\n",
        "  ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        "&a ",
        "*a",
        "<<: ",
        "!t ",
        '"',
        "'",
        "|",
        "%",
        "---\n",
        ": ",
        ",",
      ),
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (source) => {
        expect(flaws(parseConfig(source))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Not every value of JavaScript has a form in YAML. */
function safeYaml(value: unknown): string {
  try {
    return stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** The defects of a result; none for a file or for problems of one line each. */
function flaws(result: ParseResult): string[] {
  if (result.ok) return result.file.gateway.base_url.startsWith("http") ? [] : ["no base_url"];
  if (result.problems.length === 0) return ["no problem"];
  const lines = result.problems.map((problem) => formatProblem("c", problem));
  return lines.filter((line) => !/^c: [^\p{Cc}\u2028\u2029]+$/u.test(line));
}

/** A list of aliases of the previous level. */
function aliasLevel(from: string, to: string): string {
  return `${to}: &${to} [${Array(9).fill(`*${from}`).join(", ")}]\n`;
}

function messages(result: ParseResult): string[] {
  return result.ok ? [] : result.problems.map(({ message }) => message);
}
