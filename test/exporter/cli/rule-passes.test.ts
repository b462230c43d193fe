import { expect, test } from "vitest";
import { createRules } from "../../../dashboards/rules/index.ts";
import { rulePasses } from "../../../exporter/cli/backfill/rule-passes.ts";

function passesOf(rules: Readonly<Record<string, string>>, isWanted?: (name: string) => boolean) {
  const group = {
    name: "group",
    comment: "",
    interval: "1m",
    rules: Object.entries(rules).map(([record, expr]) => ({ record, expr })),
  };
  return rulePasses([group], isWanted).map((pass) => pass.map(({ record }) => record));
}

test("a rule comes after the rules whose series it reads", () => {
  expect(passesOf({ "key:c": "key:a - key:b", "key:b": "max by (key) (key:a)", "key:a": "up" })).toEqual([
    ["key:a"],
    ["key:b"],
    ["key:c"],
  ]);
});

test("a rule may read its own past, and series that no rule records", () => {
  expect(passesOf({ "key:a": "key:a offset 2m or key:other" })).toEqual([["key:a"]]);
});

test("only rules that are wanted are ordered", () => {
  expect(passesOf({ "key:b": "key:a", "key:a": "up" }, (name) => name === "key:b")).toEqual([["key:b"]]);
});

test("a rule comes after one whose past it reads", () => {
  expect(passesOf({ "key:b": "key:a offset 1d", "key:a": "up" })).toEqual([["key:a"], ["key:b"]]);
});

test("of rules that need each other, one that reads the past of the others comes first", () => {
  const alert = { "key:alert": "key:low or key:kept", "key:low": "up < 1" };
  for (const past of ["key:alert offset 2m", 'key:alert{key="a"} offset 2m', "key:alert[1h] offset 2m"])
    expect(passesOf({ ...alert, "key:kept": `up and ${past}` })).toEqual([
      ["key:low"],
      ["key:kept"],
      ["key:alert"],
    ]);
});

test("rules that need the present of each other are an error", () => {
  expect(() => passesOf({ "key:a": "key:b", "key:b": "key:a or key:a offset 2m", "key:c": "up" })).toThrow(
    "Cannot order the rules key:a, key:b",
  );
});

test("every recording rule of ours is in one pass", () => {
  const names = createRules().flatMap(({ rules }) =>
    rules.flatMap((rule) => ("record" in rule ? rule.record : [])),
  );
  const passes = rulePasses(createRules()).flat();
  expect(passes.map(({ record }) => record).toSorted()).toEqual(names.toSorted());
});
