import type { ProbeConfig } from "../config/config.ts";
import { isLanguage } from "../probes/language.ts";
import type { ProbeOutcome } from "../probes/probe-run.ts";

/** The result of one run of a probe, for a person at a terminal. */
export function probeReport(probe: ProbeConfig, outcome: ProbeOutcome): string {
  const { answer, failure, durationMs, audioFault } = outcome;
  const seconds = answer?.durationSeconds ?? answer?.usage.seconds;
  const { costCredits, inputTokens, outputTokens, totalTokens } = answer?.usage ?? {};
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["probe", `${probe.name}: ${probe.model}, paid by key "${probe.key}"`],
    ["result", failure ? `failed, ${failure.reason}: ${oneLine(failure.message)}` : "success"],
    [
      "audio",
      audioFault === undefined ? probe.audio.origin : `${probe.audio.origin}, as last read: ${audioFault}`,
    ],
    ["expected", oneLine(probe.expectedText)],
    ["heard", answer && oneLine(answer.text)],
    ["word errors", rateText(probe, outcome)],
    ["language", languageText(probe, answer?.language)],
    ["confidence", answer?.confidence?.toString()],
    ["duration", `${(durationMs / 1000).toFixed(3)} s${speedText(seconds, durationMs)}`],
    ["cost", costText(outcome, costCredits)],
    ["tokens", tokenText({ in: inputTokens, out: outputTokens, "in all": totalTokens })],
  ];
  return lines
    .flatMap(([name, text]) => (text === undefined ? [] : [`${name.padEnd(COLUMN)}${text}\n`]))
    .join("");
}

const COLUMN = 13;

function rateText({ maxWordErrorRate }: ProbeConfig, { wordErrorRate }: ProbeOutcome): string | undefined {
  if (wordErrorRate === undefined) return undefined;
  return `rate ${Number(wordErrorRate.toFixed(4))}, at most ${maxWordErrorRate}`;
}

function languageText({ expectedLanguage }: ProbeConfig, detected: string | undefined): string | undefined {
  if (detected === undefined || expectedLanguage === undefined) return detected && oneLine(detected);
  const verdict = isLanguage(expectedLanguage, detected) ? "as expected" : `expected ${expectedLanguage}`;
  return `${oneLine(detected)}, ${verdict}`;
}

function speedText(seconds: number | undefined, durationMs: number): string {
  if (seconds === undefined || durationMs <= 0) return "";
  return ` for ${seconds} s of audio, ${((seconds * 1000) / durationMs).toFixed(1)} times as fast as listening`;
}

function costText({ wasSent }: ProbeOutcome, cost: number | undefined): string {
  if (!wasSent) return "nothing: no request was sent";
  return cost === undefined ? "not known" : `${cost} credits`;
}

function tokenText(tokens: Readonly<Record<string, number | undefined>>): string | undefined {
  const known = Object.entries(tokens).flatMap(([name, count]) =>
    count === undefined ? [] : [`${count} ${name}`],
  );
  return known.length === 0 ? undefined : known.join(", ");
}

/** A text of the service must neither break the line nor control the terminal. */
function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line;
}

const LONGEST = 2000;
