import { describe, expect, test } from "vitest";
import { createPacking } from "../../../../exporter/metrics/render/block.ts";
import { FORMATS } from "../../../../exporter/metrics/render/exposition.ts";
import { gauge, sample } from "../../../../exporter/metrics/family.ts";
import { deflate } from "../../../../exporter/metrics/render/gzip.ts";
import {
  createRenderer,
  GROUP_BLOCKS,
  SLICES_AT_ONCE,
} from "../../../../exporter/metrics/render/renderer.ts";

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

  test("compresses some slices at once, and waits for them before the next ones", async () => {
    const waiting: (() => void)[] = [];
    const renderer = createRenderer(async (text) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return deflate(text);
    });
    const families = Array.from({ length: SLICES_AT_ONCE + 3 }, (_, index) => family(`f${index}`));
    const headers = families.map((each) => ({ family: each, help: each.help }));
    const block = createPacking().pack(families.flatMap((each, value) => sample(each, { key: "a" }, value)));
    const done = renderer.render(headers, [block], new Set());
    for (const together of [SLICES_AT_ONCE, 3]) {
      await expect.poll(() => waiting.length).toBe(together);
      for (const resolve of waiting.splice(0)) resolve();
    }
    await done;
    expect(waiting).toHaveLength(0);
    const documents = await createRenderer(deflate).render(headers, [block], BOTH);
    const text = Buffer.concat((await documents.get("text")?.text()) ?? []).toString();
    expect(text.match(/^aigateway_.*$/gm)).toEqual(
      families.map(({ name }, value) => `${name}{key="a"} ${value}`),
    );
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

  test("compresses lines once for both formats, and each header only once", async () => {
    const { renderer, headers, block, slices } = setUp();
    await renderer.render(headers, [block(1, [1, 2])], BOTH);
    expect(slices.map((text) => text.slice(0, 6))).toEqual([
      "aigate",
      "aigate",
      "# HELP",
      "# HELP",
      "# TYPE",
      "# TYPE",
    ]);
    slices.length = 0;
    await renderer.render(headers, [block(1, [1, 5])], BOTH);
    expect(slices).toEqual(['aigateway_other{key="1"} 5\n']);
  });
});
