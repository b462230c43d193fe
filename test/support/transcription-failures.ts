import type { FailureReason } from "../../exporter/gateway/errors.ts";

/** Every status with which `POST /audio/transcriptions` may fail (contract 7), and the reason that is reported. */
export const TRANSCRIPTION_FAILURES: readonly (readonly [status: number, reason: FailureReason])[] = [
  [400, "bad_request"],
  [401, "unauthorized"],
  [402, "payment_required"],
  [403, "forbidden"],
  [404, "bad_request"],
  [413, "bad_request"],
  [429, "rate_limited"],
  [500, "upstream_error"],
  [502, "upstream_error"],
  [503, "upstream_error"],
  [504, "timeout"],
  [524, "timeout"],
  [529, "upstream_error"],
];
