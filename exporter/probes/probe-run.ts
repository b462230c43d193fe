import type { Clock } from "../time/clock.ts";
import type { ProbeConfig } from "../config/config.ts";
import { GatewayError } from "../gateway/errors.ts";
import type { GatewayClient, Transcription } from "../gateway/port.ts";
import type { ProbeFailureReason } from "./families.ts";
import { wordErrorRate } from "./word-error-rate.ts";

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
