import { expect, test } from "vitest";
import { documented, rowsOf } from "./documented.ts";
import { KINDS } from "./kind.ts";
import { MUTATIONS } from "./mutations.ts";

test("the documentation has a line for each attack", () => {
  const rows = rowsOf(documented("attacks"));
  expect([...rows.keys()].toSorted()).toEqual([...new Set(KINDS.map(({ name }) => name))].toSorted());
});

test("the documentation has a line for each removed limit, and something noticed it", () => {
  const rows = rowsOf(documented("removed limits"));
  expect([...rows.keys()].toSorted()).toEqual(MUTATIONS.map(({ name }) => name).toSorted());
  expect([...rows.values()].filter((row) => /\| (none|not run) \| (none|not run) \|$/.test(row))).toEqual([]);
});
