import { expect, test } from "vitest";

import { Hysteresis, type Level, LEVELS, type Signals } from "../../../exporter/forecast/hysteresis.ts";

const MINUTE = 60_000;

/** Signals in a word: `i` imminent begins, `P` predicted stays, `x` exhausted begins, `s` slow begins, `!` the limit is renewed. */
function signals(word: string): Signals {
  const of = (level: Level, letter: string) => ({
    [level]: { begins: word.includes(letter), stays: word.includes(letter.toUpperCase()) },
  });
  return Object.assign({}, of("exhausted", "x"), of("imminent", "i"), of("predicted", "p"), of("slow", "s"));
}

/** Ten minutes between readings; imminent is remembered for half an hour, slow waits for twenty minutes. */
const SLOWNESS = {
  exhausted: { patienceMs: 0, memoryMs: 0 },
  imminent: { patienceMs: 0, memoryMs: 30 * MINUTE },
  predicted: { patienceMs: 0, memoryMs: 0 },
  slow: { patienceMs: 20 * MINUTE, memoryMs: 0 },
};

test.each<[string, string, string]>([
  ["nothing begins", "- - -", "- - -"],
  ["a level lasts as long as its signal", "p p - -", "p p - -"],
  ["a level stays while its signal says so", "p P P - P", "p p p - -"],
  ["imminent is remembered after its signal", "i - - - -", "i i i - -"],
  ["the most urgent level is announced", "p pi P -", "p i i i"],
  ["a lesser level stays behind a more urgent one", "p iP - - P", "p i i i p"],
  ["a lesser level does not begin behind a more urgent one", "i p p p", "i i i p"],
  ["an exhaustion that was announced is known to be", "i x x -", "i X X -"],
  ["also by a lesser level", "p x x -", "p X X -"],
  ["one that was not is not", "x i !x -", "x i x -"],
  ["slow needs patience", "s s s -", "- - s -"],
  ["patience begins anew after an interruption", "s - s s s", "- - - - s"],
  ["a renewed limit ends everything", "i !- -", "i - -"],
  ["a renewed limit announces what begins", "i !p -", "i p -"],
])("%s: %s", (_, words, announced) => {
  const hysteresis = new Hysteresis(SLOWNESS);
  const letters = words.split(" ").map((word, index) => {
    if (word.startsWith("!")) hysteresis.renew();
    const { level, wasAnnounced } = hysteresis.step(index * 10 * MINUTE, signals(word)) ?? {};
    if (level === undefined) return "-";
    const letter = { exhausted: "x", imminent: "i", predicted: "p", slow: "s" }[level];
    return level === "exhausted" && wasAnnounced ? letter.toUpperCase() : letter;
  });
  expect(letters.join(" ")).toBe(announced);
});

test("what lasted for less than three minutes is not kept", () => {
  const hysteresis = new Hysteresis(SLOWNESS);
  expect(hysteresis.step(0, signals("i"))?.level).toBe(LEVELS[1]);
  expect(hysteresis.step(2 * MINUTE, signals("-"))).toBeUndefined();
});
