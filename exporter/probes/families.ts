import { FAILURE_REASONS } from "../gateway/errors.ts";
import { TRANSCRIPTION_PROVENANCE as FROM } from "../gateway/provenance.ts";
import { counter, type Family, gauge, info } from "../metrics/family.ts";

/** Why a probe failed: the gateway gave no usable answer, or another text than expected. */
export const PROBE_FAILURE_REASONS = [...FAILURE_REASONS, "wrong_text"] as const;
export type ProbeFailureReason = (typeof PROBE_FAILURE_REASONS)[number];

/**
 * Why a probe that was due was not run: the day's ceiling would not have held its highest cost, the spend of the day was
 * not known yet, the gateway had asked to wait, the run before was still under way.
 */
export const PROBE_SKIP_REASONS = ["spend_limit", "spend_unknown", "paused", "running"] as const;
export type ProbeSkipReason = (typeof PROBE_SKIP_REASONS)[number];

const LAST = "before the first run; 3 intervals after the last one";
const REPORTED = `the last run had no answer, or the answer lacks the value; ${LAST}`;

function ofProbe(name: string, help: string, absent: string): Family<"probe"> {
  return gauge({ name: `aigateway_probe_${name}`, help, labels: ["probe"], absent });
}

/** What the transcription probes show. Values are those of the last run, and are not run for a scrape. */
export const probeFamilies = {
  info: info({
    name: "aigateway_probe_info",
    help: "Always 1 for every configured probe. The labels are its model, the key that pays, and the formats of the answer (json or verbose_json) and the upload (json or multipart).",
    labels: ["probe", "model", "key", "response_format", "upload"],
    absent: "never",
  }),
  success: ofProbe(
    "success",
    "Whether the last run of the probe succeeded (1): the gateway transcribed the audio in time, with a word error rate of at most aigateway_probe_word_error_limit_ratio. Else 0.",
    LAST,
  ),
  duration: ofProbe(
    "duration_seconds",
    "Duration of the last run, from sending the request, after any wait for a permit, to the last byte of the answer or the failure. Failed runs are included.",
    LAST,
  ),
  audio: ofProbe(
    "audio_seconds",
    `Seconds of audio of the last answer (${FROM.duration}, else ${FROM.usageSeconds}).`,
    REPORTED,
  ),
  speed: ofProbe(
    "speed_factor",
    "Seconds of audio per second of the last run: audio seconds divided by duration. Below 1 is slower than listening.",
    REPORTED,
  ),
  wordErrors: ofProbe(
    "word_error_ratio",
    "Word error rate of the last answer: inserted, deleted and substituted words divided by the expected ones, after the normalisation basic (docs/probes.md). 0 is the expected text; more than 1 is possible.",
    `the last run had no answer; ${LAST}`,
  ),
  wordErrorLimit: ofProbe(
    "word_error_limit_ratio",
    "The highest word error rate with which the probe still succeeds (max_word_error_rate of the configuration).",
    "never",
  ),
  language: ofProbe(
    "language_match",
    `Whether the last answer names the expected language (1) or another one (0) (${FROM.language}).`,
    `no expected_language is configured; the answer has no language, as without verbose_json; ${LAST}`,
  ),
  confidence: ofProbe(
    "confidence_ratio",
    `The provider's confidence in the last transcript (${FROM.confidence}).`,
    REPORTED,
  ),
  cost: ofProbe("cost_credits", `Credits that the last run cost (${FROM.cost}).`, REPORTED),
  inputTokens: ofProbe("input_tokens", `Input tokens of the last run (${FROM.inputTokens}).`, REPORTED),
  outputTokens: ofProbe("output_tokens", `Output tokens of the last run (${FROM.outputTokens}).`, REPORTED),
  totalTokens: ofProbe("tokens", `All tokens of the last run (${FROM.totalTokens}).`, REPORTED),
  lastRun: ofProbe(
    "last_run_timestamp_seconds",
    "When the last run of the probe began, seconds since the epoch. Outlives the values.",
    "before the first run",
  ),
  lastSuccess: ofProbe(
    "last_success_timestamp_seconds",
    "When the last successful run of the probe began, seconds since the epoch. Outlives the values.",
    "before the first success",
  ),
  interval: ofProbe(
    "interval_seconds",
    "Longest time between two runs of the probe by its schedule; the values of a run are shown for three of these.",
    "never",
  ),
  runs: counter({
    name: "aigateway_probe_runs_total",
    help: "Completed runs of the probe, including failed ones. Skipped runs do not count.",
    labels: ["probe"],
    absent: "never",
  }),
  failures: counter({
    name: "aigateway_probe_failures_total",
    help: "Failed runs of the probe, by reason: the reasons of polls, and wrong_text for a word error rate above the limit.",
    labels: ["probe", "reason"],
    absent: "never",
  }),
  skipped: counter({
    name: "aigateway_probe_skipped_total",
    help: "Due runs of the probe that did not start. spend_limit: the spend guard refused the run; spend_unknown: postponed until the spend of the day is known; paused: the gateway had asked to wait; running: the previous run had not ended.",
    labels: ["probe", "reason"],
    absent: "never",
  }),
  spendDay: gauge({
    name: "aigateway_probe_spend_day_credits",
    help: "Credits that count against the ceiling of the current UTC day, for all probes together: the cost of each run, the maximum if the cost is unknown or the run is in progress, and what their keys had used before the exporter started.",
    labels: [],
    absent: "no probe is configured; after a start, until the usage of the probes' keys is known",
  }),
  spendDayLimit: gauge({
    name: "aigateway_probe_spend_day_limit_credits",
    help: "Ceiling of the credits that all probes together may spend per UTC day (probe_spend.max_cost_per_day of the configuration).",
    labels: [],
    absent: "no probe is configured",
  }),
  costLimit: gauge({
    name: "aigateway_probe_cost_limit_credits",
    help: "Credits reserved for each run of a probe, and counted if its cost is unknown (probe_spend.max_cost_per_probe of the configuration).",
    labels: [],
    absent: "no probe is configured",
  }),
} as const;
