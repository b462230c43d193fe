import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../exporter/gateway/errors.ts";
import { PausedError } from "../../../exporter/schedule/pace.ts";
import { ANSWER, createProbeBench, MINUTE, probe, probing } from "./probe-bench.ts";

/** After the start the spend is read, and then the first run is due. */
const FIRST = 10 * MINUTE;

async function afterFirst(...probes: readonly ReturnType<typeof probe>[]) {
  const bench = createProbeBench(probing(...(probes.length > 0 ? probes : [probe("a")])));
  bench.prober.start();
  await bench.clock.advance(FIRST);
  return bench;
}

describe("createProber: a good run", () => {
  test("is made when it is due and not at the start, with the values of the answer", async () => {
    const bench = createProbeBench(probing(probe("a", { expectedLanguage: "en" })));
    bench.script.transcribe = async () => {
      await bench.clock.sleep(2000);
      const usage = { cost: 0.01, input_tokens: 42, output_tokens: 8, total_tokens: 50, seconds: 5 };
      return { text: "One too three four.", usage, duration: 4, language: "english", confidence: 0.9 };
    };
    bench.prober.start();
    await bench.clock.advance(FIRST - 1);
    expect(bench.calls).toEqual([]);
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    await bench.clock.advance(1 + 2000);
    expect(bench.calls).toEqual(["a"]);
    const values = {
      success: 1,
      duration_seconds: 2,
      audio_seconds: 4,
      speed_factor: 2,
      word_error_ratio: 0.25,
      word_error_limit_ratio: 0.25,
      language_match: 1,
      confidence_ratio: 0.9,
      cost_credits: 0.01,
      input_tokens: 42,
      output_tokens: 8,
      tokens: 50,
      interval_seconds: 600,
      runs_total: 1,
      last_run_timestamp_seconds: Date.parse("2026-11-18T12:10:00Z") / 1000,
      last_success_timestamp_seconds: Date.parse("2026-11-18T12:10:00Z") / 1000,
    };
    const shown = Object.keys(values).map((name) => [name, bench.value(`${name}{probe="a"}`)]);
    expect(Object.fromEntries(shown)).toEqual(values);
    expect(
      bench.value('info{probe="a",model="acme/ear",key="ears",response_format="verbose_json",upload="json"}'),
    ).toBe(1);
    expect([bench.value("spend_day_credits"), bench.value("spend_day_limit_credits")]).toEqual([0.01, 0.3]);
    expect(bench.value("cost_limit_credits")).toBe(0.1);
  });

  test("shows nothing that the answer does not tell", async () => {
    const bench = createProbeBench(probing(probe("a", { expectedLanguage: "en" })));
    bench.script.transcribe = () => ({ text: "one two three four" });
    bench.prober.start();
    await bench.clock.advance(FIRST);
    const shown = [...bench.names()];
    expect(shown).toEqual(expect.arrayContaining(["success", "duration_seconds", "word_error_ratio"]));
    const untold = [
      "audio_seconds",
      "speed_factor",
      "language_match",
      "confidence_ratio",
      "cost_credits",
      "tokens",
    ];
    expect(shown.filter((name) => untold.includes(name))).toEqual([]);
  });

  test("takes the seconds of the usage where there is no duration, and another language is none that matches", async () => {
    const bench = createProbeBench(probing(probe("a", { expectedLanguage: "en" })));
    bench.script.transcribe = () => ({ ...ANSWER, usage: { seconds: 5 }, language: "de" });
    bench.prober.start();
    await bench.clock.advance(FIRST);
    expect(bench.value('audio_seconds{probe="a"}')).toBe(5);
    expect(bench.value('language_match{probe="a"}')).toBe(0);
  });

  test("is shown for three intervals, while the times and counts stay", async () => {
    const bench = await afterFirst();
    bench.prober.stop();
    await bench.clock.advance(30 * MINUTE - 1);
    expect(bench.value('success{probe="a"}')).toBe(1);
    await bench.clock.advance(1);
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    expect(bench.value('runs_total{probe="a"}')).toBe(1);
  });
});

describe("createProber: a failed run", () => {
  test("of an error: no success, its duration, and the maximum counts", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = async () => {
      await bench.clock.sleep(1500);
      throw new GatewayError("upstream_error", "Cannot transcribe: gateway answered 502", { status: 502 });
    };
    bench.prober.start();
    await bench.clock.advance(FIRST + 1500);
    expect(bench.value('success{probe="a"}')).toBe(0);
    expect(bench.value('duration_seconds{probe="a"}')).toBe(1.5);
    expect(bench.names()).not.toContain("word_error_ratio");
    expect(bench.value('failures_total{probe="a",reason="upstream_error"}')).toBe(1);
    expect(bench.value('failures_total{probe="a",reason="timeout"}')).toBe(0);
    expect(bench.value("spend_day_credits")).toBe(0.1);
    expect(bench.value('last_success_timestamp_seconds{probe="a"}')).toBeUndefined();
  });

  test("of the text: with all that the answer tells, and what it cost", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => ({ ...ANSWER, text: "one too tree four" });
    bench.prober.start();
    await bench.clock.advance(FIRST);
    expect(bench.value('success{probe="a"}')).toBe(0);
    expect(bench.value('word_error_ratio{probe="a"}')).toBe(0.5);
    expect(bench.value('failures_total{probe="a",reason="wrong_text"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0.01);
    expect(bench.lines.find(({ level }) => level === "warn")?.message).toBe(
      'Probe "a" heard another text: word error rate 0.5, at most 0.25 (max_word_error_rate)',
    );
  });

  test("before anything is sent costs nothing", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b", { audio: unreadable("b") })));
    bench.script.transcribe = () => Promise.reject(new GatewayError("secret_unreadable", "No secret"));
    bench.prober.start();
    await bench.clock.advance(FIRST);
    expect(bench.calls).toEqual(["a"]);
    expect(bench.value('failures_total{probe="a",reason="secret_unreadable"}')).toBe(1);
    expect(bench.value('failures_total{probe="b",reason="bad_request"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0);
  });

  test("is said once, and so is the end of it", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => Promise.reject(new GatewayError("timeout", "Too late"));
    bench.prober.start();
    await bench.clock.advance(2 * FIRST);
    bench.script.transcribe = () => ANSWER;
    await bench.clock.advance(FIRST);
    const said = bench.lines.filter(({ level }) => level !== "debug").map(({ message }) => message);
    expect(said).toEqual(["Too late", 'Probe "a" succeeds again']);
  });
});

function unreadable(name: string) {
  const fault = `file "/${name}" does not exist`;
  return { origin: name, format: "wav", read: () => Promise.resolve({ bytes: undefined, fault }) };
}

describe("createProber: the spend guard", () => {
  test("skips what the ceiling does not hold, until midnight", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => ({ ...ANSWER, usage: { cost: 0.1 } });
    bench.prober.start();
    await bench.clock.advance(6 * FIRST);
    expect(bench.calls).toHaveLength(3);
    expect(bench.value('skipped_total{probe="a",reason="spend_limit"}')).toBe(3);
    expect(bench.value("spend_day_credits")).toBe(0.3);
    const midnight = Date.parse("2026-11-19T00:00:00Z");
    await bench.clock.advanceTo(midnight - 1);
    expect(bench.value("spend_day_credits")).toBe(0.3);
    // A run right at midnight may be charged to the day before, which is full.
    await bench.clock.advanceTo(midnight);
    expect(bench.value("spend_day_credits")).toBe(0);
    expect(bench.calls).toHaveLength(3);
    await bench.clock.advance(FIRST);
    expect(bench.value("spend_day_credits")).toBe(0.1);
    expect(bench.calls).toHaveLength(4);
  });

  test("holds the maximum of two probes at once", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b"), probe("c"), probe("d")));
    const answers: (() => void)[] = [];
    bench.script.transcribe = () => new Promise((resolve) => answers.push(() => resolve(ANSWER)));
    bench.prober.start();
    await bench.clock.advance(FIRST);
    expect(bench.calls).toEqual(["a", "b", "c"]);
    expect(bench.value('skipped_total{probe="d",reason="spend_limit"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0.3);
    for (const answer of answers) answer();
    await bench.clock.advance(0);
    expect(bench.value("spend_day_credits")).toBe(0.03);
  });

  test("sets aside what a run has cost, if that was more than the maximum", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => ({ ...ANSWER, usage: { cost: 0.16 } });
    bench.prober.start();
    await bench.clock.advance(2 * FIRST);
    expect(bench.calls).toHaveLength(1);
    expect(bench.value('skipped_total{probe="a",reason="spend_limit"}')).toBe(1);
    expect(bench.lines.filter(({ level }) => level === "warn")[0]?.message).toMatch(
      /^Probe "a" has cost 0\.16 credits, more than/,
    );
  });
});

describe("createProber: before the spend of the day is known", () => {
  test("a run is put off, and made once it is", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b", { key: "others" })));
    let isReadable = false;
    bench.script.readKey = (key) =>
      isReadable || key === "ears"
        ? { data: { usage: 9, usage_daily: key === "ears" ? 0.05 : 0.02 } }
        : Promise.reject(new GatewayError("network", "No way"));
    bench.prober.start();
    await bench.clock.advance(2 * MINUTE);
    expect(bench.keysRead).toEqual([]);
    await bench.clock.advance(MINUTE);
    expect(bench.keysRead).toEqual(["ears", "others"]);
    await bench.clock.advance(17 * MINUTE + 1);
    expect(bench.calls).toEqual([]);
    expect(bench.value('skipped_total{probe="a",reason="spend_unknown"}')).toBe(2);
    expect(bench.value("spend_day_credits")).toBeUndefined();
    isReadable = true;
    await bench.clock.advance(MINUTE);
    expect(bench.calls).toEqual(["a", "b"]);
    expect(bench.value("spend_day_credits")).toBe(0.09);
    expect(new Set(bench.keysRead.slice(2))).toEqual(new Set(["others"]));
  });

  test("an answer without usage_daily does not tell it", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.readKey = () => ({ data: { usage: 9 } });
    bench.prober.start();
    await bench.clock.advance(3 * FIRST);
    expect(bench.calls).toEqual([]);
    const said = bench.lines.filter(({ message }) => message.includes("no usage_daily"));
    expect(said.map(({ level }) => level).slice(0, 2)).toEqual(["warn", "debug"]);
  });

  test("keys that have used up the ceiling let nothing through", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.readKey = () => ({ data: { usage: 9, usage_daily: 0.21 } });
    bench.prober.start();
    await bench.clock.advance(FIRST);
    expect(bench.calls).toEqual([]);
    expect(bench.value('skipped_total{probe="a",reason="spend_limit"}')).toBe(1);
  });
});

describe("createProber: skipped runs", () => {
  test("while the run before is under way", async () => {
    const bench = createProbeBench(probing(probe("a", { schedule: { kind: "interval", ms: 30_000 } })));
    bench.script.transcribe = async () => {
      await bench.clock.sleep(45_000);
      return ANSWER;
    };
    bench.prober.start();
    await bench.clock.advance(5 * MINUTE);
    expect(bench.value('skipped_total{probe="a",reason="running"}')).toBeGreaterThan(0);
    expect(bench.value('runs_total{probe="a"}')).toBe(bench.calls.length - 1);
  });

  test("while the gateway asks to wait; nothing is set aside", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.reserve = (target) => {
      throw new PausedError(target);
    };
    bench.prober.start();
    await bench.clock.advance(FIRST);
    expect(bench.value('skipped_total{probe="a",reason="paused"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0);
    bench.script.reserve = () => {};
    await bench.clock.advance(FIRST);
    expect(bench.value('success{probe="a"}')).toBe(1);
  });
});

describe("createProber: a reload", () => {
  test("keeps the spend, the values and the place in the schedule", async () => {
    const bench = await afterFirst();
    await bench.clock.advance(9 * MINUTE);
    bench.adopt(probing(probe("a"), probe("b")));
    expect(bench.value("spend_day_credits")).toBe(0.01);
    expect(bench.value('success{probe="a"}')).toBe(1);
    await bench.clock.advance(MINUTE);
    expect(bench.calls).toEqual(["a", "a"]);
    await bench.clock.advance(9 * MINUTE);
    expect(bench.calls).toEqual(["a", "a", "b"]);
  });

  test("withdraws a probe that is gone, and keeps what it has spent", async () => {
    const bench = await afterFirst(probe("a"), probe("b"));
    bench.adopt(probing(probe("b")));
    expect(bench.store.visible("probe/a")).toEqual([]);
    expect(bench.probesShown()).toEqual(new Set(["b"]));
    expect(bench.value("spend_day_credits")).toBe(0.02);
    bench.adopt(undefined);
    expect(bench.store.visible("probe/b")).toEqual([]);
    expect(bench.store.visible("probe-spend")).toEqual([]);
    await bench.clock.advance(3 * FIRST);
    expect(bench.calls).toEqual(["a", "b"]);
  });

  test("withdraws the values of a probe that asks something else, and keeps its counts", async () => {
    const bench = await afterFirst();
    bench.adopt(probing(probe("a", { model: "acme/other" })));
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    expect(bench.value('last_run_timestamp_seconds{probe="a"}')).toBeUndefined();
    expect(bench.value('runs_total{probe="a"}')).toBe(1);
  });

  test("does not show what a run brings that was begun before, for another question or for nobody", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b")));
    const answers: (() => void)[] = [];
    bench.script.transcribe = () => new Promise((resolve) => answers.push(() => resolve(ANSWER)));
    bench.prober.start();
    await bench.clock.advance(FIRST);
    bench.adopt(probing(probe("a", { model: "acme/other" })));
    for (const answer of answers) answer();
    await bench.clock.advance(0);
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    expect(bench.store.visible("probe/b")).toEqual([]);
    expect(bench.value("spend_day_credits")).toBe(0.02);
  });

  test("takes a new schedule at once, and another gateway's values for its own", async () => {
    const bench = await afterFirst();
    bench.adopt(probing(probe("a", { schedule: { kind: "interval", ms: MINUTE } })));
    await bench.clock.advance(MINUTE);
    expect(bench.calls).toEqual(["a", "a"]);
    bench.prober.stop();
    expect(bench.value('success{probe="a"}')).toBe(1);
    bench.create("http://two");
    expect(bench.value('success{probe="a"}')).toBeUndefined();
  });
});
