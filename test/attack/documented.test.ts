import { expect, test } from "vitest";
import { documented } from "./documented.ts";
import { KINDS } from "./kind.ts";

test("docs/reliability.md has the result of every attack (`npm run attack:update` writes it)", () => {
  const rows = documented().split("\n").slice(2);
  const names = rows.map((row) => row.split(" | ")[0]?.slice(2));
  expect(names).toEqual([...new Set(KINDS.map(({ name }) => name))]);
  expect(rows.filter((row) => !row.endsWith("| withstood |"))).toEqual([]);
});
