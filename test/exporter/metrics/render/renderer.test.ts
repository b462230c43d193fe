import { describe, expect, test } from "vitest";
import { createPacking } from "../../../../exporter/metrics/render/block.ts";
import { FORMATS } from "../../../../exporter/metrics/render/exposition.ts";
import { gauge, sample } from "../../../../exporter/metrics/family.ts";
import { deflate } from "../../../../exporter/metrics/render/gzip.ts";
import { createRenderer, GROUP_BLOCKS } from "../../../../exporter/metrics/render/renderer.ts";

const family = (name: string) =>
  gauge({ name: `aigateway_${name}`, help: "Test.", labels: ["key"], absent: "never" });
const [one, other] = [family("one"), family("other")];
const BOTH = new Set(FORMATS);

function setUp() {
  const slices: string[] = [];
  const headers = [one, other].map((each) => ({ family: each, help: each.help }));
  const renderer = createRenderer((text) => {
    slices.push(text.toString());
    return deflate(text);
  });
  const packer = createPacking();
  const block = (key: number, values: readonly [number, number]) =>
    packer.pack([
      ...sample(one, { key: String(key) }, values[0]),
      ...sample(other, { key: String(key) }, values[1]),
    ]);
  const linesIn = () =>
    slices
      .splice(0)
      .filter((text) => !text.startsWith("#"))
      .map((text) => text.split("\n").length - 1);
  return { renderer, headers, block, slices, linesIn };
}

describe("createRenderer()", () => {
  test("renders a slice for each family of neighbouring targets", async () => {
    const { renderer, headers, block, linesIn } = setUp();
    const blocks = Array.from({ length: GROUP_BLOCKS + 10 }, (_, key) => block(key, [1, 2]));
    await renderer.render(headers, blocks, BOTH);
    expect(linesIn()).toEqual([GROUP_BLOCKS, GROUP_BLOCKS, 10, 10]);
  });

  test("renders only the slices that have changed", async () => {
    const { renderer, headers, block, linesIn } = setUp();
    const blocks = Array.from({ length: GROUP_BLOCKS + 10 }, (_, key) => block(key, [1, 2]));
    await renderer.render(headers, blocks, BOTH);
    linesIn();
    await renderer.render(headers, blocks, BOTH);
    await renderer.render(headers, blocks.with(3, block(3, [1, 2])), BOTH);
    expect(linesIn()).toEqual([]);
    await renderer.render(headers, blocks.with(GROUP_BLOCKS + 9, block(GROUP_BLOCKS + 9, [1, 3])), BOTH);
    expect(linesIn()).toEqual([10]);
  });
});
