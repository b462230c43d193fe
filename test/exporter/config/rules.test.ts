import { describe, expect, test } from "vitest";
import { integer, list, section, text } from "../../../exporter/config/field.ts";
import { problemsOf } from "../../../exporter/config/problem.ts";
import { entriesOf, has, inspect, right, sectionOf, withRules } from "../../../exporter/config/rules.ts";

const range = withRules(
  section({ from: integer(0, 9), to: integer(0, 9), name: text(1, 9).optional() }),
  (checked) => {
    const [from, to] = [right(checked, "from"), right(checked, "to")];
    return from !== undefined && to !== undefined && from > to
      ? [{ path: ["to"], message: "is below from" }]
      : [];
  },
);

const file = section({ main: range.optional(), more: list(range).prefault([]) });

/** `path: message` of every problem. */
function problems(value: unknown): readonly string[] {
  const { error } = inspect(file, value);
  return error ? problemsOf(error).map(({ path, message }) => `${path}: ${message}`) : [];
}

describe("withRules()", () => {
  test("reports a broken rule together with an invalid field, an unknown field and another entry's problem", () => {
    expect(
      problems({ main: { from: 2, to: 1, name: 5, nmae: "x" }, more: ["x", { from: 3, to: 0 }] }),
    ).toEqual([
      "main.name: 5 is not a text of 1 to 9 characters; put it in quotes",
      "main.nmae: is not a known field; known fields: from, to, name",
      "main.to: is below from",
      "more[0]: a text is not a mapping",
      "more[1].to: is below from",
    ]);
  });

  test("does not check a rule whose fields are invalid", () => {
    expect(problems({ main: { from: 2, to: "1" } })).toEqual([
      'main.to: "1" is not an integer from 0 to 9; write it without quotes',
    ]);
    expect(problems({ main: { from: 2 } })).toEqual([
      "main.to: is missing; it must be an integer from 0 to 9",
    ]);
  });
});

describe("inspect()", () => {
  test("returns the data of a valid value", () => {
    const value = { main: { from: 1, to: 2 }, more: [] };
    expect(inspect(file, value)).toMatchObject({ data: value, error: undefined });
  });

  test("returns the valid parts of an invalid value", () => {
    const { data, checked } = inspect(file, { main: { from: 1, to: "x" }, more: [{ from: 5, to: 6 }, null] });
    expect(data).toBeUndefined();
    if (!checked) throw new Error("Nothing was read");
    const main = sectionOf(checked, "main");
    expect(main && [right(main, "from"), right(main, "to"), has(main, "to"), has(main, "name")]).toEqual([
      1,
      undefined,
      true,
      false,
    ]);
    const entries = entriesOf(checked, "more");
    expect(entries.map((entry) => [right(entry, "to"), has(entry, "to")])).toEqual([
      [6, true],
      [undefined, false],
    ]);
  });

  test("returns no readable parts of a value that is not a mapping", () => {
    expect(inspect(file, ["x"]).checked).toBeUndefined();
  });

  test("finds no entries in a field that is not a list, and no section in one that is not a mapping", () => {
    const { checked } = inspect(file, { main: 1, more: { from: 1 } });
    expect(checked && [entriesOf(checked, "more"), sectionOf(checked, "main")]).toEqual([[], undefined]);
  });
});
