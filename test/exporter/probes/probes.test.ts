import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../exporter/gateway/errors.ts";
import {
  ANSWER,
  FIRST,
  MINUTE,
  createProbeBench,
  heldAnswers,
  probe,
  probing,
  unreadable,
} from "./probe-bench.ts";
import { isLanguage } from "../../../exporter/probes/probe-samples.ts";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { wordErrorRate } from "../../../exporter/probes/probe-run.ts";

describe("probes: a failed run", () => {
  test("costs nothing when no request was sent", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b", { audio: unreadable("b") })));
    bench.script.transcribe = () => Promise.reject(new GatewayError("secret_unreadable", "No secret"));
    bench.start();
    await bench.clock.advance(FIRST);
    expect(bench.calls).toEqual(["a"]);
    expect(bench.value('failures_total{probe="a",reason="secret_unreadable"}')).toBe(1);
    expect(bench.value('failures_total{probe="b",reason="bad_request"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0);
    expect(bench.logged().toSorted()).toEqual([
      'Cannot run probe "b": file "/b" does not exist',
      "No secret",
    ]);
  });

  test("is logged once, and again when it ends", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => Promise.reject(new GatewayError("timeout", "Too late"));
    bench.start();
    await bench.clock.advance(2 * FIRST);
    bench.script.transcribe = () => ANSWER;
    await bench.clock.advance(FIRST);
    expect(bench.logged()).toEqual(["Too late", 'Probe "a" succeeds again']);
  });
});

describe("probes: skipped runs", () => {
  test("while the previous run is in progress, logged once", async () => {
    const bench = createProbeBench(probing(probe("a", { schedule: { kind: "interval", ms: MINUTE } })));
    const answers = heldAnswers();
    bench.script.transcribe = answers.transcribe;
    bench.start();
    await bench.clock.advance(6 * MINUTE);
    expect(bench.calls).toEqual(["a"]);
    expect(bench.value('skipped_total{probe="a",reason="running"}')).toBe(5);
    expect(bench.logged()).toEqual([
      'Probe "a" is not run: the previous run is still in progress; run it less often, or lower its timeout',
    ]);
    expect(bench.probes.record("a")?.skip).toBe("running");
    answers.release();
    await bench.clock.advance(0);
    expect(bench.probes.record("a")?.skip).toBeUndefined();
    expect(bench.value('runs_total{probe="a"}')).toBe(1);
  });
});

/** A bench whose runs cost this, with keys that have used this today. */
function startAt(costs: readonly (number | undefined)[], usedToday: number | undefined = 0) {
  const bench = createProbeBench(probing(probe("a")));
  const left = [...costs];
  bench.script.transcribe = () => ({ ...ANSWER, usage: { cost: left.length > 1 ? left.shift() : left[0] } });
  bench.script.readKey = () => ({ data: { usage: 9, usage_daily: usedToday } });
  bench.start();
  return bench;
}

describe("probes: the daily ceiling", () => {
  test.each<[string, number | undefined, number]>([
    ["more than was counted counts, as after a restart", 0.15, 0.15],
    ["less than was counted does not count", 0.005, 0.01],
    ["that is not reported leaves what was counted", undefined, 0.01],
  ])("the key's usage of the day: %s", async (_, usedToday, spent) => {
    const bench = startAt([0.01], usedToday);
    await bench.clock.advance(FIRST);
    expect([bench.calls.length, bench.value("spend_day_credits")]).toEqual([1, spent]);
  });
});

describe("isLanguage", () => {
  test.each<[string, string, boolean]>([
    ["en", "en", true],
    ["en", "English", true],
    ["en", "en-US", true],
    ["de", "german", true],
    ["en", "german", false],
    ["en", "de", false],
    ["en", "", false],
    ["xx", "yy", false],
  ])("%s in an answer with %j: %s", (expected, actual, matches) => {
    expect(isLanguage(expected, actual)).toBe(matches);
  });
});

const folder = join(import.meta.dirname, "../../../exporter/probes/sample");
const audio = readFileSync(join(folder, "sample.mp3"));
const sentence = readFileSync(join(folder, "sample.txt"), "utf8");
const readme = readFileSync(join(folder, "README.md"), "utf8");

describe("the bundled sample", () => {
  test("matches its README", () => {
    expect(readme).toContain(createHash("sha256").update(audio).digest("hex"));
    expect(readme).toContain(`> ${sentence}`);
    expect(readme).toContain(audio.length.toLocaleString("en").replace(",", " "));
  });
});

describe("wordErrorRate, counted by hand", () => {
  test.each<[string, string, string, number]>([
    ["the same text", "one two three four", "one two three four", 0],
    ["a word inserted at the end", "one two three four", "one two three four five", 1 / 4],
    ["a word deleted at the end", "one two three four", "one two three", 1 / 4],
    ["a word substituted", "one two three four", "one too three four", 1 / 4],
    ["one of each kind", "a b c d e", "b c x e f", 3 / 5],
    ["two words swapped", "one two three four", "two one three four", 2 / 4],
    ["a word joined", "every body knows", "everybody knows", 2 / 3],
    ["nothing heard", "one two three four", "", 1],
    ["another text of the same length", "one two three four", "five six seven eight", 1],
    ["a longer other text", "one two", "five six seven eight nine", 5 / 2],
    ["nothing expected, nothing heard", "", "", 0],
    ["nothing expected, something heard", "", "thank you very much", 4],
    [
      "case and punctuation",
      "Every key counts credits, and a warning.",
      "every KEY counts credits and a warning",
      0,
    ],
    ["an apostrophe", "Don't panic", "dont panic", 0],
    ["a hyphen", "a well-known word", "a well known word", 0],
    ["full-width letters", "key 12", "ｋｅｙ　１２", 0],
    ["an accent written in two", "café au lait", "cafe\u0301 au lait", 0],
    ["an accent that is missing", "café au lait", "cafe au lait", 1 / 3],
    ["a number written out is another word", "I have 3 keys", "I have three keys", 1 / 4],
    ["Chinese, by character", "每个密钥都计费", "每个秘钥都计费", 1 / 7],
    ["Chinese, spaces make no difference", "每个 密钥", "每个密钥。", 0],
    ["Japanese, by character", "データを数える", "データを考える", 1 / 7],
    ["letters beyond the basic plane", "𝒦ey 𠀀𠀁", "key 𠀀𠀂", 1 / 3],
  ])("%s", (_, expected, heard, rate) => {
    expect(wordErrorRate(expected, heard)).toBe(rate);
  });

  test("ignores what exceeds the length of any sensible transcript", () => {
    expect(wordErrorRate("one two", "word ".repeat(3_000_000))).toBe(10_000);
  });
});
