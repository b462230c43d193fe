import type { Clock } from "../time/clock.ts";
import type { ProbeConfig } from "../config/config.ts";
import { GatewayError } from "../gateway/errors.ts";
import type { GatewayClient, Transcription } from "../gateway/port.ts";
import type { ProbeFailureReason } from "./families.ts";
import { distance } from "fastest-levenshtein";

/** The outcome of one run of a probe. */
export interface ProbeOutcome {
  readonly startedMs: number;
  readonly durationMs: number;
  /** Undefined: there was no usable answer. */
  readonly answer: Transcription | undefined;
  readonly wordErrorRate: number | undefined;
  /** Undefined: it succeeded. */
  readonly failure: { readonly reason: ProbeFailureReason; readonly message: string } | undefined;
  /** Whether a request may have been sent and may therefore cost credits. */
  readonly wasSent: boolean;
  /** Why the audio could not be read; if it was read before, that version was sent. */
  readonly audioFault: string | undefined;
}

/**
 * Requests one transcription and judges it.
 * @throws the signal's reason when the client's run is aborted, and PausedError. Then the request may have been sent.
 */
export async function runProbe(
  probe: ProbeConfig,
  client: Pick<GatewayClient, "transcribe">,
  clock: Clock,
): Promise<ProbeOutcome> {
  const { bytes, fault: audioFault } = await probe.audio.read();
  const [startedMs, started] = [clock.now(), clock.monotonic()];
  const ended = (rest: Pick<ProbeOutcome, "answer" | "wordErrorRate" | "failure" | "wasSent">) => ({
    startedMs,
    durationMs: clock.monotonic() - started,
    audioFault,
    ...rest,
  });
  const failed = (reason: ProbeFailureReason, message: string, wasSent: boolean) =>
    ended({ answer: undefined, wordErrorRate: undefined, failure: { reason, message }, wasSent });
  if (!bytes) return failed("bad_request", `Cannot run probe "${probe.name}": ${audioFault}`, false);
  try {
    const { format } = probe.audio;
    const { model, responseFormat, upload } = probe;
    const request = { audio: { bytes, format }, model, responseFormat, upload };
    const answer = await client.transcribe(request, probe.secret, probe.timeoutMs);
    const rate = wordErrorRate(probe.expectedText, answer.text);
    return ended({ answer, wordErrorRate: rate, failure: wrongText(probe, rate), wasSent: true });
  } catch (error) {
    if (error instanceof RangeError) return failed("bad_request", error.message, false);
    if (!(error instanceof GatewayError)) throw error;
    return failed(error.kind, error.message, error.kind !== "secret_unreadable");
  }
}

function wrongText({ name, maxWordErrorRate }: ProbeConfig, rate: number): ProbeOutcome["failure"] {
  if (rate <= maxWordErrorRate) return undefined;
  const message = `Probe "${name}" returned an unexpected text: word error rate ${rounded(rate)}, at most ${maxWordErrorRate} (max_word_error_rate)`;
  return { reason: "wrong_text", message };
}

function rounded(rate: number): string {
  return String(Number(rate.toFixed(3)));
}

/**
 * The word error rate of a transcript: the fewest words to insert, delete or substitute that turn it into the
 * reference, divided by the number of reference words. It exceeds 1 when the transcript has many more words.
 * When the reference is empty, each word of the transcript counts 1.
 */
export function wordErrorRate(reference: string, transcript: string): number {
  const expected = wordsOf(reference);
  // One character for each expected word; all unexpected words share one, because they match nothing.
  const symbols = new Map<string, string>();
  for (const word of expected)
    if (!symbols.has(word)) symbols.set(word, String.fromCharCode(symbols.size + 1));
  const written = (words: readonly string[]) => words.map((word) => symbols.get(word) ?? UNEXPECTED).join("");
  return (
    distance(written(expected), written(wordsOf(transcript.slice(0, MOST_CHARACTERS)))) /
    Math.max(1, expected.length)
  );
}

const UNEXPECTED = "\0";

/** More than any sensible transcript has. The rest is ignored, because the rate is far above 1 already. */
const MOST_CHARACTERS = 100_000;

/**
 * The normalisation `basic`: the words of a text, without inaudible differences in spelling.
 * 1. Compatibility forms become plain ones (Unicode NFKC); upper case becomes lower case.
 * 2. Apostrophes and invisible characters are removed: `don't` becomes `dont`.
 * 3. A word is a run of letters, marks and digits; everything else separates words.
 * 4. In scripts without spaces each letter, with its marks, is a word. Numbers and abbreviations are not spelled out,
 * and accents stay.
 */
function wordsOf(text: string): readonly string[] {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll(SILENT, "");
  return plain.match(WORD) ?? [];
}

/** Characters that cannot be heard within or around a word. */
const SILENT = /['’ʼ＇`\p{Cf}]/gu;

const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;

const WORD = new RegExp(
  String.raw`(?=\p{L})${UNSPACED}\p{M}*|(?:(?!(?=\p{L})${UNSPACED})[\p{L}\p{M}\p{N}])+`,
  "gu",
);
