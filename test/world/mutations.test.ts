import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTATIONS } from "./mutations.ts";
import { SHARD_MUTATIONS } from "./shard-mutations.ts";

test.each([...MUTATIONS, ...SHARD_MUTATIONS])("$file can be mutated: $what", ({ file, from, to }) => {
  const source = readFileSync(new URL(`../../exporter/${file}`, import.meta.url), "utf8");
  expect(source.split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
});
