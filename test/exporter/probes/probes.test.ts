import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../exporter/gateway/errors.ts";
import {
  afterFirst,
  ANSWER,
  createProbeBench,
  FIRST,
  heldAnswers,
  MINUTE,
  probe,
  probeTarget,
  probing,
  unreadable,
} from "./probe-bench.ts";

describe("probes: a good run", () => {
  test("begins at the tick of its schedule, not at the start, and shows the values of the answer", async () => {
    const bench = createProbeBench(probing(probe("a", { expectedLanguage: "en" })));
    bench.script.transcribe = async () => {
      await bench.clock.sleep(2000);
      const usage = { cost: 0.01, input_tokens: 42, output_tokens: 8, total_tokens: 50, seconds: 5 };
      return { text: "One too three four.", usage, duration: 4, language: "english", confidence: 0.9 };
    };
    bench.start();
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
    expect([bench.value("cost_limit_credits"), bench.probes.spentToday()]).toEqual([0.1, 0.01]);
  });

  test("shows nothing that the answer does not contain", async () => {
    const bench = createProbeBench(probing(probe("a", { expectedLanguage: "en" })));
    bench.script.transcribe = () => ({ text: "one two three four" });
    bench.start();
    await bench.clock.advance(FIRST);
    const shown = [...bench.names()];
    expect(shown).toEqual(expect.arrayContaining(["success", "duration_seconds", "word_error_ratio"]));
    const missing = [
      "audio_seconds",
      "speed_factor",
      "language_match",
      "confidence_ratio",
      "cost_credits",
      "tokens",
    ];
    expect(shown.filter((name) => missing.includes(name))).toEqual([]);
  });

  test("takes the audio seconds from the usage if there is no duration, and compares the language", async () => {
    const bench = createProbeBench(probing(probe("a", { expectedLanguage: "en" })));
    bench.script.transcribe = () => ({ ...ANSWER, usage: { seconds: 5 }, language: "de" });
    bench.start();
    await bench.clock.advance(FIRST);
    expect(bench.value('audio_seconds{probe="a"}')).toBe(5);
    expect(bench.value('language_match{probe="a"}')).toBe(0);
  });

  test("measures the gateway only, however slow the file is and however the wall clock is stepped", async () => {
    const bytes = Buffer.from("RIFF");
    const read = () => bench.clock.sleep(3000).then(() => ({ bytes, fault: undefined }));
    const slow = probe("a", { audio: { origin: "a slow disk", format: "wav", read } });
    const bench = createProbeBench(probing(slow));
    bench.script.transcribe = async () => {
      bench.clock.set(bench.clock.now() - FIRST);
      await bench.clock.sleep(2000);
      return ANSWER;
    };
    bench.start();
    await bench.clock.advance(FIRST + 5000);
    expect(bench.value('duration_seconds{probe="a"}')).toBe(2);
  });

  test.each([-1, "-0.5", "NaN", "much", "1e999", null])("counts a cost of %j as unknown", async (cost) => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => ({ ...ANSWER, usage: { cost } });
    bench.start();
    await bench.clock.advance(FIRST);
    expect(bench.value('success{probe="a"}')).toBe(1);
    expect(bench.names()).not.toContain("cost_credits");
    expect(bench.value("spend_day_credits")).toBe(0.1);
  });

  test("is counted and logged when series_limit refuses its answer, and shows no values", async () => {
    const bench = createProbeBench(probing(probe("a")), { seriesLimit: 5 });
    const refused = /^aigateway_exporter_refused_answers_total\{collector="probe"\} (\d+)$/m;
    expect((await bench.selfMetrics()).match(refused)?.[1]).toBe("0");
    bench.start();
    await bench.clock.advance(FIRST);
    expect((await bench.selfMetrics()).match(refused)?.[1]).toBe("1");
    expect(bench.names()).not.toContain("success");
    expect(bench.lines.find(({ level }) => level === "error")?.message).toBe(
      'Cannot show probe "a": series_limit is reached',
    );
    expect([bench.value('runs_total{probe="a"}'), bench.value("spend_day_credits")]).toEqual([1, 0.01]);
  });

  test("is shown for three intervals, while the times and counts stay", async () => {
    const bench = await afterFirst();
    await bench.stop();
    await bench.clock.advance(29 * MINUTE);
    expect(bench.value('success{probe="a"}')).toBe(1);
    await bench.clock.advance(MINUTE);
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    expect(bench.value('runs_total{probe="a"}')).toBe(1);
  });

  test("ends once: after midnight and after a failure a probe waits for its next tick", async () => {
    const bench = createProbeBench(
      probing(probe("a", { schedule: { kind: "interval", ms: 24 * 60 * MINUTE } })),
    );
    bench.script.transcribe = () => Promise.reject(new GatewayError("network", "No connection"));
    bench.start();
    await bench.clock.advance(47 * 60 * MINUTE);
    expect(bench.calls).toEqual(["a"]);
  });
});

describe("probes: a failed run", () => {
  test("caused by an error shows its duration and no success, and counts the maximum", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = async () => {
      await bench.clock.sleep(1500);
      throw new GatewayError("upstream_error", "Cannot transcribe: gateway answered 502", { status: 502 });
    };
    bench.start();
    await bench.clock.advance(FIRST + 1500);
    expect(bench.value('success{probe="a"}')).toBe(0);
    expect(bench.value('duration_seconds{probe="a"}')).toBe(1.5);
    expect(bench.names()).not.toContain("word_error_ratio");
    expect(bench.value('failures_total{probe="a",reason="upstream_error"}')).toBe(1);
    expect(bench.value('failures_total{probe="a",reason="timeout"}')).toBe(0);
    expect(bench.value("spend_day_credits")).toBe(0.1);
    expect(bench.value('last_success_timestamp_seconds{probe="a"}')).toBeUndefined();
  });

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

  test("that the probe itself causes is logged, and counts the maximum", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => Promise.reject(new TypeError("A defect"));
    bench.start();
    await bench.clock.advance(FIRST);
    expect(bench.logged()).toEqual(['Cannot run probe "a"']);
    expect(bench.value("spend_day_credits")).toBe(0.1);
    expect(bench.value('success{probe="a"}')).toBeUndefined();
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
    expect(bench.value('skipped_total{probe="a",reason="running"}')).toBe(4);
    expect(bench.logged()).toEqual([
      'Probe "a" is postponed until the spend of the day is known',
      'Probe "a" is not run: the previous run is still in progress; run it less often, or lower its timeout',
    ]);
    expect(bench.probes.record("a")?.skip).toBe("running");
    answers.release();
    await bench.clock.advance(0);
    expect(bench.probes.record("a")?.skip).toBeUndefined();
    expect(bench.value('runs_total{probe="a"}')).toBe(1);
  });

  test("while the gateway asks to wait; nothing is reserved", async () => {
    const bench = createProbeBench(probing(probe("a", { schedule: { kind: "interval", ms: 4 * MINUTE } })));
    bench.script.transcribe = () =>
      Promise.reject(new GatewayError("rate_limited", "Too many", { status: 429, retryAfterMs: 5 * MINUTE }));
    bench.start();
    await bench.clock.advance(4 * MINUTE);
    expect(bench.value("spend_day_credits")).toBe(0.1);
    bench.script.transcribe = () => ANSWER;
    await bench.clock.advance(4 * MINUTE);
    expect(bench.calls).toEqual(["a"]);
    expect(bench.value('skipped_total{probe="a",reason="paused"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0.1);
    expect(bench.logged()).toEqual(["Too many", 'Probe "a" is not run: the gateway asked to wait']);
    await bench.clock.advance(4 * MINUTE);
    expect(bench.value('success{probe="a"}')).toBe(1);
    expect(bench.readings.status(probeTarget("a"))?.up).toBe(true);
  });
});
