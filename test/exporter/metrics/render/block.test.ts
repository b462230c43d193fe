import { describe, expect, test } from "vitest";
import { gauge, sample } from "../../../../exporter/metrics/family.ts";
import { createPacking, unpack } from "../../../../exporter/metrics/render/block.ts";
import { windowAt } from "../../../../exporter/time/window.ts";

const family = (name: string) => gauge({ name, help: "Test.", labels: ["key"], absent: "never" });
const [total, today, thisMonth] = [family("total"), family("today"), family("this_month")];
const AT = Date.parse("2026-11-18T12:00:00Z");
const [day, month] = [windowAt("day", AT), windowAt("month", AT)];

const samplesOf = (key: string, value: number) => [
  ...sample(total, { key }, value),
  ...sample(today, { key }, value, day),
  ...sample(thisMonth, { key }, value, month),
];

describe("createPacking()", () => {
  test("gives back the samples that were packed", () => {
    const packing = createPacking();
    const block = packing.pack(samplesOf("a", 1));
    expect(unpack(block)).toEqual(samplesOf("a", 1));
    expect(packing.size(block)).toBe(3);
    expect(packing.windows(block)).toEqual([day, month]);
    expect(packing.pack([])).toBe(packing.empty);
  });

  test("shares shape, labels and windows with the previous block when only values change", () => {
    const packing = createPacking();
    const before = packing.pack(samplesOf("a", 1));
    const after = packing.pack(samplesOf("a", 2), before);
    expect(unpack(after)).toEqual(samplesOf("a", 2));
    expect([after.shape, after.labels, after.windows]).toEqual([before.shape, before.labels, before.windows]);
    expect(after.labels).toBe(before.labels);
    expect(packing.pack(samplesOf("b", 1)).shape).toBe(before.shape);
  });

  test("only() keeps the rows of shown windows and those without a window", () => {
    const packing = createPacking();
    const block = packing.pack(samplesOf("a", 1));
    const names = (shows: (window: { endMs: number }) => boolean) =>
      unpack(packing.only(block, shows)).map((row) => row.family.name);
    expect(names((window) => window === month)).toEqual(["total", "this_month"]);
    expect(names(() => false)).toEqual(["total"]);
    const ofToday = packing.pack(sample(today, { key: "a" }, 1, day));
    expect(packing.only(ofToday, () => false)).toBe(packing.empty);
  });

  test("only() returns the same block for the same part, and the block itself if all of it is shown", () => {
    const packing = createPacking();
    const block = packing.pack(samplesOf("a", 1));
    expect(packing.only(block, () => true)).toBe(block);
    const part = packing.only(block, (window) => window === month);
    expect(packing.only(block, (window) => window === month)).toBe(part);
    expect(packing.only(block, () => false)).not.toBe(part);
  });
});
