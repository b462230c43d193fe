import type { ProbeConfig, ProbingConfig } from "../config/config.ts";
import { type Family, type Sample, sample, seconds } from "../metrics/family.ts";
import { windowAt } from "../time/window.ts";
import { probeFamilies as families, PROBE_FAILURE_REASONS, PROBE_SKIP_REASONS } from "./families.ts";
import type { ProbeRecord } from "./probe-records.ts";
import type { ProbeOutcome } from "./probe-run.ts";

/** The last run of a probe as samples. A failed run has its duration, and the values of its answer if it got one. */
export function outcomeSamples(
  { name: probe, expectedLanguage }: ProbeConfig,
  { durationMs, answer, wordErrorRate, failure }: ProbeOutcome,
): readonly Sample[] {
  const gauge = (family: Family<"probe">, value: number | undefined) => sample(family, { probe }, value);
  const audioSeconds = answer?.durationSeconds ?? answer?.usage.seconds;
  const language =
    expectedLanguage !== undefined && answer?.language !== undefined
      ? Number(isLanguage(expectedLanguage, answer.language))
      : undefined;
  return [
    ...gauge(families.success, failure ? 0 : 1),
    ...gauge(families.duration, durationMs / 1000),
    ...gauge(families.audio, audioSeconds),
    ...gauge(families.speed, speedFactor(audioSeconds, durationMs)),
    ...gauge(families.wordErrors, wordErrorRate),
    ...gauge(families.language, language),
    ...gauge(families.confidence, answer?.confidence),
    ...gauge(families.cost, answer?.usage.costCredits),
    ...gauge(families.inputTokens, answer?.usage.inputTokens),
    ...gauge(families.outputTokens, answer?.usage.outputTokens),
    ...gauge(families.totalTokens, answer?.usage.totalTokens),
  ];
}

/** The samples of a probe that are shown even before its first run. Counters begin at 0. */
export function probeDescription(record: ProbeRecord): readonly Sample[] {
  const { name: probe, model, key, team, responseFormat, upload, maxWordErrorRate } = record.probe;
  const { intervalMs, runs, failures, skips, lastRunMs, lastSuccessMs } = record;
  const gauge = (family: Family<"probe">, value: number | undefined) => sample(family, { probe }, value);
  return [
    ...sample(families.info, { probe, model, key, team, response_format: responseFormat, upload }, 1),
    ...gauge(families.wordErrorLimit, maxWordErrorRate),
    ...gauge(families.interval, intervalMs / 1000),
    ...gauge(families.lastRun, seconds(lastRunMs)),
    ...gauge(families.lastSuccess, seconds(lastSuccessMs)),
    ...gauge(families.runs, runs),
    ...PROBE_FAILURE_REASONS.flatMap((reason) =>
      sample(families.failures, { probe, reason }, failures.get(reason) ?? 0),
    ),
    ...PROBE_SKIP_REASONS.flatMap((reason) =>
      sample(families.skipped, { probe, reason }, skips.get(reason) ?? 0),
    ),
  ];
}

/** The spend of all probes. It changes by itself at midnight. */
export function spendSamples(
  { ceilingCredits, maxCostCredits }: ProbingConfig,
  spentCredits: number,
  nowMs: number,
): readonly Sample[] {
  return [
    ...sample(families.spendDay, {}, spentCredits, windowAt("day", nowMs)),
    ...sample(families.spendDayLimit, {}, ceilingCredits),
    ...sample(families.costLimit, {}, maxCostCredits),
  ];
}

/** A run with a duration of 0 has no speed. */
function speedFactor(audioSeconds: number | undefined, durationMs: number): number | undefined {
  return audioSeconds === undefined || durationMs <= 0 ? undefined : (audioSeconds * 1000) / durationMs;
}

/**
 * Whether the language of an answer is the expected one (ISO 639-1). Services write the same language as `en`, `eng`,
 * `en-US` or `English`.
 */
export function isLanguage(expected: string, detected: string): boolean {
  const written = detected.trim();
  if (written.toLowerCase() === nameOf(expected)?.toLowerCase()) return true;
  return codeOf(written) === expected;
}

/** The English name of a language. */
function nameOf(code: string): string | undefined {
  return new Intl.DisplayNames("en", { type: "language" }).of(code);
}

/** The primary part of a language tag; its two-letter code if the language has one. */
function codeOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag.replaceAll("_", "-")).language;
  } catch {
    return undefined;
  }
}
