import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../../exporter/probes/sample");
const audio = readFileSync(join(folder, "sample.mp3"));
const sentence = readFileSync(join(folder, "sample.txt"), "utf8");
const readme = readFileSync(join(folder, "README.md"), "utf8");

describe("the bundled sample", () => {
  test("is well under 100 kB", () => {
    expect(audio.length).toBeLessThan(50_000);
    expect(audio.length).toBeGreaterThan(10_000);
  });

  test("consists of MP3 frames only: mono, 16 kHz, about four seconds", () => {
    const starts = frameStarts();
    expect(starts.at(-1)).toBe(audio.length - FRAME_BYTES);
    const headers = starts.map((start) => audio.readUInt32BE(start));
    expect(new Set(headers.map((header) => (header & KIND_BITS) >>> 0))).toEqual(new Set([WANTED_KIND]));
    expect((starts.length * SAMPLES_OF_A_FRAME) / 16_000).toBe(4.104);
  });

  test("has 8 to 14 different words without digits, in one line", () => {
    const words = sentence.toLowerCase().match(/[a-z]+/gu) ?? [];
    expect(words.length).toBeGreaterThanOrEqual(8);
    expect(words.length).toBeLessThanOrEqual(14);
    expect(new Set(words).size).toBe(words.length);
    expect(sentence).toMatch(/^[A-Za-z ,]+\.\n$/u);
  });

  test("matches its README", () => {
    expect(readme).toContain(createHash("sha256").update(audio).digest("hex"));
    expect(readme).toContain(`> ${sentence}`);
    expect(readme).toContain(audio.length.toLocaleString("en").replace(",", " "));
  });
});

/** ISO/IEC 13818-3: sync, MPEG-2, Layer III, bit rate, sample rate and channels; without padding and private bits. */
const KIND_BITS = 0xfffe_fcc0;
/** 0xfff2: MPEG-2 Layer III; 0x68: 48 kbit/s at 16 kHz; 0xc0: one channel. */
const WANTED_KIND = 0xfff2_68c0;
const SAMPLES_OF_A_FRAME = 576;
/** 72 * 48 000 / 16 000. */
const FRAME_BYTES = 216;

function frameStarts(): readonly number[] {
  return Array.from({ length: Math.ceil(audio.length / FRAME_BYTES) }, (_, index) => index * FRAME_BYTES);
}
