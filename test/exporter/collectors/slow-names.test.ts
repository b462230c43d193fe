import { expect, test } from "vitest";
import { slowNames } from "../../../exporter/collectors/slow-names.ts";

const PATTERN = /^(?:[a-z]+-?)+$/;
const DISCOVERY = { workspaces: [undefined], include: [PATTERN], exclude: [], owner: undefined };

/** The shortest name with which this machine takes a twentieth of a second; each further letter doubles the time. */
function hardName(): string {
  let name = "aaaaaaaa!";
  // Not the first time, which may be long because the machine is busy.
  while (Math.min(...[1, 2, 3].map(() => duration(name))) < 50) name = `a${name}`;
  return name;
}

function duration(name: string): number {
  const startedAt = performance.now();
  PATTERN.test(name);
  return performance.now() - startedAt;
}

test.each([
  ["different", (name: string, index: number) => `${name}${index}`],
  ["the same", (name: string) => name],
])(
  "many names that are just in time take a few seconds together: %s",
  { timeout: 20_000 },
  async (_, nameOf) => {
    const name = hardName();
    const hard = Array.from({ length: 300 }, (_unused, index) => nameOf(name, index));
    const usual = Array.from({ length: 60 }, (_unused, index) => `search-${index}`);
    const slow = await slowNames([...hard, ...usual], DISCOVERY);
    expect(slow).toContain(hard.at(-1));
    expect([...slow]).not.toContain("search-59");
  },
);
