import { describe, expect, test } from "vitest";
import { gauge, sample } from "../../../../exporter/metrics/family.ts";
import { deflate, type Piece } from "../../../../exporter/metrics/render/gzip.ts";
import { createPublisher } from "../../../../exporter/metrics/render/publisher.ts";
import { yieldToEventLoop } from "../../../../exporter/time/event-loop.ts";
import { targetId } from "../../../../exporter/readings/target-id.ts";
import { createManualClock } from "../../../support/clock.ts";
import { createPacking } from "../../../../exporter/metrics/render/block.ts";
import { FORMATS } from "../../../../exporter/metrics/render/exposition.ts";
import { createRenderer, GROUP_BLOCKS } from "../../../../exporter/metrics/render/renderer.ts";
import { createSampleReadings } from "../../../support/fake-readings.ts";

const family = gauge({ name: "aigateway_test_credits", help: "Test.", labels: ["key"], absent: "never" });

/** `compressionMs`: how long the compression of a text seems to take. */
function setUp(compressionMs = 0) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const readings = createSampleReadings(clock);
  const errors: unknown[] = [];
  let renderings = 0;
  const headers = () => {
    renderings++;
    return [{ family, help: family.help }];
  };
  let compressedMs = 0;
  /** As in a thread, where the text of many keys is compressed. */
  const slowly = async (text: Buffer): Promise<Piece> => {
    await yieldToEventLoop();
    compressedMs += compressionMs;
    return deflate(text);
  };
  const publisher = createPublisher(
    () => readings.view(),
    headers,
    { ...clock, monotonic: () => clock.monotonic() + compressedMs },
    (error) => errors.push(error),
    slowly,
  );
  const put = (value: number, timeToLiveMs = 180_000) => {
    readings.put("a", sample(family, { key: "a" }, value), timeToLiveMs);
    publisher.changed();
  };
  const shown = async () => {
    const document = await publisher.current("text");
    return /\} (.*)\n/.exec(Buffer.concat(await document.text()).toString())?.[1];
  };
  const withdraw = () => readings.withdraw(targetId("key", "a"));
  return { clock, publisher, put, withdraw, shown, errors, renderings: () => renderings };
}

describe("createPublisher()", () => {
  test("shows the first change at once, and any number of further changes within 50 ms", async () => {
    const { clock, put, shown, renderings } = setUp();
    expect(await shown()).toBeUndefined();
    put(1);
    await clock.advance(0);
    await expect.poll(shown).toBe("1");
    const before = renderings();
    for (let value = 2; value < 50; value++) put(value);
    await clock.advance(49);
    expect(await shown()).toBe("1");
    await clock.advance(1);
    await expect.poll(shown).toBe("49");
    expect(renderings() - before).toBe(1);
  });

  test("renders at most once a second while changes keep coming, and at once after a pause", async () => {
    const { clock, put, shown, renderings } = setUp();
    await shown();
    let value = 0;
    const shownAfter = async (ms: number) => {
      const before = renderings();
      put(++value);
      if (ms > 0) await clock.advance(ms - 1);
      expect(renderings()).toBe(before);
      await clock.advance(Math.min(ms, 1));
      expect(renderings()).toBe(before + 1);
      await expect.poll(shown).toBe(String(value));
    };
    for (const ms of [0, 50, 100, 200, 400, 800, 1000, 1000]) await shownAfter(ms);
    await clock.advance(2001);
    for (const ms of [0, 50, 100]) await shownAfter(ms);
  });

  test("rests for long after a long rendering, but never shows what was withdrawn", async () => {
    const { clock, put, withdraw, shown, renderings } = setUp(700);
    put(1);
    await clock.advance(0);
    await expect.poll(shown).toBe("1");
    const before = renderings();
    put(2);
    await clock.advance(5000);
    expect(renderings()).toBe(before);
    expect(await shown()).toBe("1");
    withdraw();
    expect(await shown()).toBeUndefined();
    put(3);
    await clock.advance(16_000);
    await expect.poll(shown).toBe("3");
  });

  test("never gives a scrape an expired value, even if no timer has fired", async () => {
    const { clock, put, shown } = setUp();
    put(1);
    await clock.advance(0);
    await expect.poll(shown).toBe("1");
    clock.set(clock.now() + 180_000);
    expect(await shown()).toBeUndefined();
  });

  test("withdraws expired values without a scrape, and renders nothing while nothing expires", async () => {
    const { clock, put, shown, renderings } = setUp();
    put(1);
    await clock.advance(0);
    // The timer that checks for expired values is set after the text is published.
    await clock.untilPending(1);
    expect(await shown()).toBe("1");
    const before = renderings();
    await clock.advance(170_000);
    expect(renderings()).toBe(before);
    await clock.advance(12_000);
    await expect.poll(renderings).toBe(before + 1);
    expect(await shown()).toBeUndefined();
  });
});

const rendered = (name: string) =>
  gauge({ name: `aigateway_${name}`, help: "Test.", labels: ["key"], absent: "never" });
const [one, other] = [rendered("one"), rendered("other")];
const BOTH = new Set(FORMATS);

function setUpRenderer() {
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
  test("renders a slice for each rendered of neighbouring targets", async () => {
    const { renderer, headers, block, linesIn } = setUpRenderer();
    const blocks = Array.from({ length: GROUP_BLOCKS + 10 }, (_, key) => block(key, [1, 2]));
    await renderer.render(headers, blocks, BOTH);
    expect(linesIn()).toEqual([GROUP_BLOCKS, GROUP_BLOCKS, 10, 10]);
  });

  test("renders only the slices that have changed", async () => {
    const { renderer, headers, block, linesIn } = setUpRenderer();
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
