import { FAILURE_REASONS } from "../gateway/errors.ts";
import { TRANSCRIPTION_PROVENANCE as FROM } from "../gateway/wire/transcription.ts";
import { counter, type Family, gauge, info } from "../metrics/family.ts";

/** Why a probe failed: there was no usable answer, or the transcript differs too much from the expected text. */
export const PROBE_FAILURE_REASONS = [...FAILURE_REASONS, "wrong_text"] as const;
export type ProbeFailureReason = (typeof PROBE_FAILURE_REASONS)[number];

/**
 * Why a due run did not begin: its maximum cost would have exceeded the day's ceiling, the gateway had asked to wait,
 * or the previous run had not ended.
 */
export const PROBE_SKIP_REASONS = ["spend_limit", "paused", "running"] as const;
export type ProbeSkipReason = (typeof PROBE_SKIP_REASONS)[number];

const AGED = "before the first run; 3 intervals after the last one";
const NO_VALUE = `the last run got no usable answer, or the answer does not contain it; ${AGED}`;

function ofProbe(name: string, help: string, absent: string): Family<"probe"> {
  return gauge({ name: `aigateway_probe_${name}`, help, labels: ["probe"], absent });
}

/** The families of the transcription probes. Values are those of the last run; a scrape starts no run. */
export const probeFamilies = {
  info: info({
    name: "aigateway_probe_info",
    help: "Always 1 for every configured probe. The labels are its model, the key that pays and its team, and the formats of the response (json or verbose_json) and the upload (json or multipart).",
    labels: ["probe", "model", "key", "team", "response_format", "upload"],
  }),
  success: ofProbe(
    "success",
    "1 if the last run of the probe succeeded: the gateway transcribed the audio in time, with a word error rate of at most aigateway_probe_word_error_limit_ratio. Otherwise 0.",
    AGED,
  ),
  duration: ofProbe(
    "duration_seconds",
    "Duration of the last run, successful or failed, from sending the request to the last byte of the answer or the failure. Waiting for the rate limit is not included.",
    AGED,
  ),
  audio: ofProbe(
    "audio_seconds",
    `Seconds of audio that the last answer reports (${FROM.durationSeconds}, otherwise ${FROM.usage.seconds}).`,
    NO_VALUE,
  ),
  speed: ofProbe(
    "speed_factor",
    "Seconds of audio transcribed per second of the last run: audio seconds divided by duration. Below 1 is slower than real time.",
    NO_VALUE,
  ),
  wordErrors: ofProbe(
    "word_error_ratio",
    "Word error rate of the last answer: inserted, deleted and substituted words divided by expected words, after the normalisation basic (docs/probes.md). 0 means the expected text; values above 1 are possible.",
    `the last run got no usable answer; ${AGED}`,
  ),
  wordErrorLimit: ofProbe(
    "word_error_limit_ratio",
    "Highest word error rate at which the probe still succeeds (max_word_error_rate of the configuration).",
    "never",
  ),
  language: ofProbe(
    "language_match",
    `1 if the language of the last answer is the expected one, 0 if it is another (${FROM.language}).`,
    `no expected_language is configured; the answer contains no language, for example without verbose_json; ${AGED}`,
  ),
  confidence: ofProbe(
    "confidence_ratio",
    `Confidence of the provider in the last transcript (${FROM.confidence}).`,
    NO_VALUE,
  ),
  cost: ofProbe("cost_credits", `Credits that the last run cost (${FROM.usage.costCredits}).`, NO_VALUE),
  inputTokens: ofProbe("input_tokens", `Input tokens of the last run (${FROM.usage.inputTokens}).`, NO_VALUE),
  outputTokens: ofProbe(
    "output_tokens",
    `Output tokens of the last run (${FROM.usage.outputTokens}).`,
    NO_VALUE,
  ),
  totalTokens: ofProbe("tokens", `All tokens of the last run (${FROM.usage.totalTokens}).`, NO_VALUE),
  lastRun: ofProbe(
    "last_run_timestamp_seconds",
    "When the last run of the probe began, seconds since the epoch. Stays after the values of the run are withdrawn.",
    "before the first run",
  ),
  lastSuccess: ofProbe(
    "last_success_timestamp_seconds",
    "When the last successful run of the probe began, seconds since the epoch. Stays after the values of the run are withdrawn.",
    "before the first success",
  ),
  interval: ofProbe(
    "interval_seconds",
    "Longest time between two runs of the probe by its schedule. The values of a run are shown for three of these intervals.",
    "never",
  ),
  runs: counter({
    name: "aigateway_probe_runs_total",
    help: "Runs of the probe that have ended, including failed ones. Skipped runs are not counted.",
    labels: ["probe"],
  }),
  failures: counter({
    name: "aigateway_probe_failures_total",
    help: "Runs of the probe that failed, by reason: the reasons of a poll, and wrong_text for a word error rate above the limit.",
    labels: ["probe", "reason"],
  }),
  skipped: counter({
    name: "aigateway_probe_skipped_total",
    help: "Runs of the probe that were due but did not begin. spend_limit: the maximum cost would have exceeded the day's ceiling; paused: the gateway had asked to wait; running: the previous run had not ended.",
    labels: ["probe", "reason"],
  }),
  spendDay: gauge({
    name: "aigateway_probe_spend_day_credits",
    help: "Credits of all probes that count against the ceiling of the current UTC day: for each key that pays, the costs of its runs since the exporter started, or what the gateway reports as used by the key that day if that is more; and the maximum for each run in progress.",
    absent: "no probe is configured",
  }),
  spendDayLimit: gauge({
    name: "aigateway_probe_spend_day_limit_credits",
    help: "Ceiling of the credits that all probes together may spend per UTC day (probe_spend.max_cost_per_day of the configuration).",
    absent: "no probe is configured",
  }),
  costLimit: gauge({
    name: "aigateway_probe_cost_limit_credits",
    help: "Credits reserved for each run of a probe, and counted if its cost is unknown (probe_spend.max_cost_per_probe of the configuration).",
    absent: "no probe is configured",
  }),
} as const;
