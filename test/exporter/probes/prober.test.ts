import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../exporter/gateway/errors.ts";
import { PausedError } from "../../../exporter/schedule/pace.ts";
import {
  afterFirst,
  ANSWER,
  createProbeBench,
  FIRST,
  MINUTE,
  probe,
  probing,
  unreadable,
} from "./probe-bench.ts";

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

  test("takes as long as the gateway, whatever the file takes and the wall clock does", async () => {
    const bytes = Buffer.from("RIFF");
    const read = () => bench.clock.sleep(3000).then(() => ({ bytes, fault: undefined }));
    const slow = probe("a", { audio: { origin: "a slow disk", format: "wav", read } });
    const bench = createProbeBench(probing(slow));
    bench.script.transcribe = async () => {
      bench.clock.set(bench.clock.now() - FIRST);
      await bench.clock.sleep(2000);
      return ANSWER;
    };
    bench.prober.start();
    await bench.clock.advance(FIRST + 5000);
    expect(bench.value('duration_seconds{probe="a"}')).toBe(2);
  });

  test.each([-1, "-0.5", "NaN", "much", "1e999", null])("counts a cost of %j as not known", async (cost) => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => ({ ...ANSWER, usage: { cost } });
    bench.prober.start();
    await bench.clock.advance(FIRST);
    expect(bench.value('success{probe="a"}')).toBe(1);
    expect(bench.names()).not.toContain("cost_credits");
    expect(bench.value("spend_day_credits")).toBe(0.1);
  });

  test("that finds no room for its series is not shown, and that is said", async () => {
    const bench = createProbeBench(probing(probe("a")), 5);
    bench.prober.start();
    await bench.clock.advance(FIRST);
    expect(bench.names()).not.toContain("success");
    expect(bench.lines.find(({ level }) => level === "error")?.message).toBe(
      'Cannot show probe "a": series_limit is reached',
    );
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
      'Probe "a" returned another text than expected: word error rate 0.5, at most 0.25 (max_word_error_rate)',
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

  test.each<[string, () => object]>([
    ["succeeds", () => ANSWER],
    ["fails", () => Promise.reject(new GatewayError("network", "No way"))],
    ["is skipped", () => ({ ...ANSWER, usage: { cost: 0.3 } })],
  ])("gives its place at the gateway back when the run %s", async (_, transcribe) => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = transcribe;
    bench.prober.start();
    await bench.clock.advance(2 * FIRST);
    expect(bench.calls.length).toBeGreaterThan(0);
    expect(bench.places.taken).toBe(0);
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

  test("remembers the dearest run, not the last", async () => {
    const bench = createProbeBench(probing(probe("a")));
    const costs = [0.12, 0.07];
    bench.script.transcribe = () => ({ ...ANSWER, usage: { cost: costs.shift() } });
    bench.prober.start();
    await bench.clock.advance(3 * FIRST);
    expect(bench.calls).toHaveLength(2);
    expect(bench.value("spend_day_credits")).toBe(0.19);
    expect(bench.value('skipped_total{probe="a",reason="spend_limit"}')).toBe(1);
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

  test("nothing is sent by whoever waited for the pace while another key came", async () => {
    const bench = createProbeBench(probing(probe("a")));
    const turn = Promise.withResolvers<void>();
    bench.script.reserve = () => turn.promise;
    bench.prober.start();
    await bench.clock.advance(FIRST);
    bench.script.readKey = () => Promise.reject(new GatewayError("network", "No way"));
    bench.adopt(probing(probe("a"), probe("b", { key: "others" })));
    turn.resolve();
    await bench.clock.advance(0);
    expect(bench.calls).toEqual([]);
    expect(bench.value('skipped_total{probe="a",reason="spend_unknown"}')).toBe(1);
  });

  test("a key that comes by a reload is asked about at once", async () => {
    const bench = await afterFirst();
    bench.adopt(probing(probe("a"), probe("b", { key: "others" })));
    await bench.clock.advance(0);
    expect(bench.keysRead).toEqual(["ears", "others"]);
    expect(bench.value("spend_day_credits")).toBe(0.01);
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
