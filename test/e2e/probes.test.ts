import { afterEach, expect, test } from "vitest";
import type { ProbeFailureReason } from "../../exporter/probes/families.ts";
import type { SeriesMap } from "../support/series.ts";
import { type ProbeStage, type ProbeInput, startProbeStage } from "./probe-stage.ts";

const START = Date.parse("2026-11-18T12:00:00Z");
const MINUTE = 60_000;
/** When the first run is due. */
const FIRST = 5 * MINUTE;

let stage: ProbeStage;

afterEach(async () => {
  await stage.stop();
});

async function start(...probes: readonly ProbeInput[]): Promise<void> {
  stage = await startProbeStage({ start: START, probes, maxCostPerDay: 10, maxCostPerProbe: 0.1 });
}

function probe(name: string, change: Partial<ProbeInput> = {}): ProbeInput {
  return {
    name,
    key: "ears",
    model: `acme/${name}`,
    schedule: "5m",
    timeout: "5s",
    response_format: "verbose_json",
    ...change,
  };
}

/** The values of a probe, by the end of the family's name. */
function shownOf(series: SeriesMap, name: string): (family: string) => number | undefined {
  return (family) => series.get(`aigateway_probe_${family}{probe="${name}"}`);
}

async function afterRuns(count: number, ...names: string[]): Promise<SeriesMap> {
  return stage.seriesWhen((series) => names.every((name) => shownOf(series, name)("runs_total") === count));
}

const INFO =
  'aigateway_probe_info{key="ears",model="acme/plain",probe="plain",response_format="json",upload="json"}';

test("a probe shows what the books of the gateway contain, with either upload", async () => {
  await start(
    probe("plain", { response_format: "json" }),
    probe("form", { upload: "multipart", key: "others", expected_language: "en", max_word_error_rate: 1 }),
  );
  stage.answerAfter(2000);
  const manner = {
    substitutedWords: 1,
    deletedWords: 2,
    insertedWords: 3,
    microsPerMinute: 90_000,
    confidence: 0.75,
  };
  stage.gateway.manners.change(manner, "acme/form");
  await stage.runFor(3 * FIRST);
  const series = await afterRuns(3, "plain", "form");
  const records = stage.gateway.books.transcriptions();
  expect(records.map(({ upload, format }) => `${upload} ${format}`).toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => "json mp3"),
    ...Array.from({ length: 3 }, () => "multipart mp3"),
  ]);
  for (const [name, errors] of [
    ["plain", 0],
    ["form", 6 / 12],
  ] as const) {
    const shown = shownOf(series, name);
    const record = records.findLast(({ model }) => model === `acme/${name}`);
    if (!record) throw new Error(`The books have no record of ${name}`);
    expect(shown("success")).toBe(1);
    expect(shown("word_error_ratio")).toBe(errors);
    expect(shown("cost_credits")).toBe(record.cost);
    expect(shown("audio_seconds")).toBe(record.seconds);
    expect(shown("input_tokens")).toBe(record.inputTokens);
    expect(shown("output_tokens")).toBe(record.outputTokens);
    expect(shown("tokens")).toBe(record.inputTokens + record.outputTokens);
    const duration = shown("duration_seconds") ?? 0;
    expect(duration).toBeGreaterThanOrEqual(2);
    expect(shown("speed_factor")).toBe(record.seconds / duration);
  }
  expect(shownOf(series, "form")("confidence_ratio")).toBe(0.75);
  expect(shownOf(series, "form")("language_match")).toBe(1);
  expect(shownOf(series, "plain")("confidence_ratio")).toBeUndefined();
  expect(shownOf(series, "plain")("language_match")).toBeUndefined();
  expect(series.get(INFO)).toBe(1);
  expect([shownOf(series, "plain")("interval_seconds"), shownOf(series, "plain")("runs_total")]).toEqual([
    300, 3,
  ]);
  const lastRun = shownOf(series, "plain")("last_run_timestamp_seconds");
  expect(lastRun).toBe((START + 3 * FIRST) / 1000);
  expect(shownOf(series, "plain")("last_success_timestamp_seconds")).toBe(lastRun);
  // The two costs differ, so that the sum proves both.
  expect(series.get("aigateway_probe_spend_day_credits{}")).toBe(stage.charged().get("2026-11-18"));
});

test.each<[string, (on: ProbeStage) => void, ProbeFailureReason, number]>([
  [
    "a charged answer that never arrives",
    ({ gateway }) => void gateway.faults.add({ kind: "slow", delayMs: 3_600_000, endpoint: "transcription" }),
    "timeout",
    0.1,
  ],
  [
    "a cut connection, charged",
    ({ gateway }) => void gateway.faults.add({ kind: "cut", endpoint: "transcription" }),
    "network",
    0.1,
  ],
  [
    "a body that is not JSON",
    ({ gateway }) => void gateway.faults.add({ kind: "body", body: "<html>", endpoint: "transcription" }),
    "bad_response",
    0.1,
  ],
  [
    "an unexpected text, with its cost",
    ({ gateway }) => gateway.manners.change({ text: "Something else altogether.", micros: 20_000 }),
    "wrong_text",
    0.02,
  ],
  [
    "an unexpected text without its cost",
    ({ gateway }) => gateway.manners.change({ deletedWords: 3, usage: false }),
    "wrong_text",
    0.1,
  ],
])("a failure: %s", async (_, break_, reason, counted) => {
  await start(probe("ear", { timeout: "1s" }));
  break_(stage);
  await stage.runFor(FIRST);
  const series = await afterRuns(1, "ear");
  expect([
    shownOf(series, "ear")("success"),
    shownOf(series, "ear")("last_success_timestamp_seconds"),
  ]).toEqual([0, undefined]);
  expect(series.get(`aigateway_probe_failures_total{probe="ear",reason="${reason}"}`)).toBe(1);
  expect(series.get("aigateway_probe_spend_day_credits{}")).toBe(counted);
});

test("a retry-after skips the runs within it, and then the probe continues", async () => {
  await start(probe("ear", { schedule: "1m" }));
  await stage.runFor(4 * MINUTE);
  const before = stage.gateway.log.of("transcription").length;
  stage.gateway.faults.add({
    kind: "status",
    status: 429,
    retryAfterSeconds: 150,
    endpoint: "transcription",
    times: 1,
  });
  await stage.runFor(5 * MINUTE);
  const series = await afterRuns(before + 3, "ear");
  expect(series.get('aigateway_probe_skipped_total{probe="ear",reason="paused"}')).toBe(2);
  expect(series.get('aigateway_probe_failures_total{probe="ear",reason="rate_limited"}')).toBe(1);
  expect(shownOf(series, "ear")("success")).toBe(1);
});
