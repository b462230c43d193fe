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

describe("probes: a failed run", () => {
  test("caused by an unexpected text shows everything that the answer contains, and counts its cost", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => ({ ...ANSWER, text: "one too tree four" });
    bench.start();
    await bench.clock.advance(FIRST);
    expect(bench.value('success{probe="a"}')).toBe(0);
    expect(bench.value('word_error_ratio{probe="a"}')).toBe(0.5);
    expect(bench.value('failures_total{probe="a",reason="wrong_text"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0.01);
    expect(bench.logged()).toEqual([
      'Probe "a" returned an unexpected text: word error rate 0.5, at most 0.25 (max_word_error_rate)',
    ]);
  });

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

const SKIPPED = 'skipped_total{probe="a",reason="spend_limit"}';

/** A bench whose runs cost this, with keys that have used this today. */
function startAt(costs: readonly (number | undefined)[], usedToday: number | undefined = 0, start?: string) {
  const bench = createProbeBench(probing(probe("a")), start === undefined ? {} : { start });
  const left = [...costs];
  bench.script.transcribe = () => ({ ...ANSWER, usage: { cost: left.length > 1 ? left.shift() : left[0] } });
  bench.script.readKey = () => ({ data: { usage: 9, usage_daily: usedToday } });
  bench.start();
  return bench;
}

describe("probes: the daily ceiling", () => {
  test("counts the maximum of each run in progress", async () => {
    const bench = createProbeBench(probing(...["a", "b", "c", "d"].map((name) => probe(name))));
    const answers = heldAnswers();
    bench.script.transcribe = answers.transcribe;
    bench.start();
    await bench.clock.advance(FIRST);
    expect([bench.calls, bench.value("spend_day_credits")]).toEqual([["a", "b", "c"], 0.3]);
    expect(bench.value('skipped_total{probe="d",reason="spend_limit"}')).toBe(1);
    answers.release();
    await bench.clock.advance(0);
    expect(bench.value("spend_day_credits")).toBe(0.03);
  });

  test.each<[string, number | undefined, number]>([
    ["more than was counted counts, as after a restart", 0.15, 0.15],
    ["less than was counted does not count", 0.005, 0.01],
    ["that is not reported leaves what was counted", undefined, 0.01],
  ])("the key's usage of the day: %s", async (_, usedToday, spent) => {
    const bench = startAt([0.01], usedToday);
    await bench.clock.advance(FIRST);
    expect([bench.calls.length, bench.value("spend_day_credits")]).toEqual([1, spent]);
  });

  test("the key's usage alone prevents runs, but not that of another day", async () => {
    const bench = startAt([0.01], 0.21, "2026-11-18T23:45:00Z");
    await bench.clock.advance(FIRST);
    expect([bench.calls, bench.value(SKIPPED), bench.value("spend_day_credits")]).toEqual([[], 1, 0.21]);
    bench.script.readKey = () => Promise.reject(new GatewayError("network", "No connection"));
    await bench.clock.advance(FIRST);
    expect([bench.calls, bench.value("spend_day_credits")]).toEqual([["a"], 0.01]);
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
