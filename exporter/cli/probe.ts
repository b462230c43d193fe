import { decimalSum } from "../metrics/decimal-sum.ts";
import type { Config, ProbingConfig, ProbeConfig } from "../config/config.ts";
import { redact } from "../secrets/redact.ts";
import type { Gateway } from "../gateway/port.ts";
import { runProbe, type ProbeOutcome } from "../probes/probe-run.ts";
import type { Options } from "./command-line/program.ts";
import { createCommandGateway, singleClient } from "./command-gateway.ts";
import { loadConfiguration, terminalReporter } from "./load-configuration.ts";
import type { Terminal } from "./terminal.ts";
import { isLanguage } from "../probes/probe-samples.ts";
import { UsageError } from "./command-line/flag-values.ts";

export interface ProbeRequest {
  readonly name: string;
  /** Run the probe even if it might exceed the day's ceiling. */
  readonly force: boolean;
}

/** Runs one probe by hand and prints its result. A running daemon does not know about this run. */
export async function probe(
  { name, force }: ProbeRequest,
  { configFile }: Pick<Options, "configFile">,
  terminal: Terminal,
): Promise<number> {
  const { stdout, env } = terminal;
  const config = await loadConfiguration(configFile, env, terminalReporter(terminal));
  if (!config) return 1;
  const found = config.probing?.probes.find((candidate) => candidate.name === name);
  if (!config.probing || !found)
    throw new UsageError(`Unknown probe "${name}": ${configFile} has ${probeNames(config)}`);
  const gateway = createCommandGateway(config, terminal);
  try {
    const refusal = force ? undefined : await refusalOf(config.probing, gateway);
    if (refusal !== undefined) {
      stdout.write(redact(`Probe "${name}" is not run: ${refusal}; use --force to run it anyway\n`));
      return 1;
    }
    const outcome = await runProbe(found, singleClient(gateway, "transcription", name), terminal.clock);
    stdout.write(redact(probeReport(found, outcome)));
    return outcome.failure ? 1 : 0;
  } finally {
    await gateway.close();
  }
}

function probeNames({ probing }: Config): string {
  return probing?.probes.map(({ name }) => `"${name}"`).join(", ") ?? "no probes";
}

/** Why no probe may run now: its maximum cost, added to today's usage of all probes' keys, might exceed the ceiling. */
async function refusalOf(
  { probes, ceilingCredits, maxCostCredits }: ProbingConfig,
  gateway: Pick<Gateway, "clientFor">,
): Promise<string | undefined> {
  const payers = new Map(probes.map(({ key, secret }) => [key, secret]));
  try {
    const answers = await Promise.all(
      [...payers].map(([key, secret]) => singleClient(gateway, "key", key).currentKey(secret)),
    );
    // A refund does not permit more spend.
    const used = answers.flatMap(({ usage: { day } }) => (day === undefined ? [] : Math.max(0, day)));
    if (used.length < answers.length) return "the gateway does not report today's usage of the keys";
    const spent = decimalSum(used);
    if (decimalSum([spent, maxCostCredits]) <= ceilingCredits) return undefined;
    return `${spent} credits are spent today, and with ${maxCostCredits} (max_cost_per_probe) it might exceed ${ceilingCredits} (max_cost_per_day)`;
  } catch (error) {
    return `the spend of the day is unknown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The result of one run of a probe, for a person at a terminal. */
function probeReport(configured: ProbeConfig, outcome: ProbeOutcome): string {
  const { answer, failure, durationMs, audioFault } = outcome;
  const seconds = answer?.durationSeconds ?? answer?.usage.seconds;
  const { costCredits, inputTokens, outputTokens, totalTokens } = answer?.usage ?? {};
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["probe", `${configured.name}: ${configured.model}, paid by key "${configured.key}"`],
    ["result", failure ? `failed, ${failure.reason}: ${oneLine(failure.message)}` : "success"],
    [
      "audio",
      audioFault === undefined
        ? configured.audio.origin
        : `${configured.audio.origin}, as last read: ${audioFault}`,
    ],
    ["expected", oneLine(configured.expectedText)],
    ["heard", answer && oneLine(answer.text)],
    ["word errors", rateText(configured, outcome)],
    ["language", languageText(configured, answer?.language)],
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
