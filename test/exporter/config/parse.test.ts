import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseConfig, type ParseResult } from "../../../exporter/config/parse.ts";

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

  test("accepts unknown keys of a budget if keys_dir is set", () => {
    const budgets = [{ name: "a", limit: 1, window: "day", keys: ["chat"] }];
    expect(parseConfig({ ...GOOD, budgets }).ok).toBe(false);
    expect(parseConfig({ ...GOOD, budgets, keys_dir: "/k/more" }).ok).toBe(true);
  });

  test.each([undefined, null, "", 5, [], new Date(0), () => GOOD])("refuses %s entirely", (value) => {
    expect(parseConfig(value).ok).toBe(false);
  });

  test("refuses an attack by nested aliases", () => {
    const levels = ["ab", "bc", "cd", "de", "ef", "fg", "gh"].map((pair) =>
      aliasLevel(pair.charAt(0), pair.charAt(1)),
    );
    const bomb = `a: &a [x, x]\n${levels.join("")}`;
    expect(messages(parseConfig(bomb))).toEqual([
      "its aliases or merge keys (<<) cannot be resolved, or there are too many",
    ]);
  });

  test("treats the names of prototypes as unknown fields", () => {
    const result = parseConfig(`${stringify(GOOD)}__proto__: {a: 1}\nconstructor: 5\n`);
    const paths = result.ok ? [] : result.problems.map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["__proto__", "constructor"]);
  });

  test("survives a list that contains itself", () => {
    expect(messages(parseConfig("gateway: &loop {base_url: *loop}\nkeys: &list [*list]\n"))).toEqual([
      "a mapping is not an https URL of the gateway's API root (http for localhost, or with allow_http)",
      "a list is not a mapping",
    ]);
  });
});

/** A list of aliases of the previous level. */
function aliasLevel(from: string, to: string): string {
  return `${to}: &${to} [${Array(9).fill(`*${from}`).join(", ")}]\n`;
}

function messages(result: ParseResult): string[] {
  return result.ok ? [] : result.problems.map(({ message }) => message);
}
