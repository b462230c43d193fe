import { describe, expect, test } from "vitest";
import { wordErrorRate } from "../../../exporter/probes/probe-run.ts";

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
