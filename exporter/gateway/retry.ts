/** What the retry policy looks at. */
export interface Failure {
  readonly retryable: boolean;
  /** The server's own hint, milliseconds; it wins over the backoff and gets no jitter. */
  readonly hintMs: number | undefined;
  /** Attempts made so far, 1 or more. */
  readonly attempts: number;
  /** Milliseconds left until the call's deadline. */
  readonly remainingMs: number;
}

const MAX_ATTEMPTS = 4;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;

/**
 * Milliseconds to wait before the next attempt, or undefined when there is to be none: not retryable, out of attempts,
 * or the wait would pass the deadline. Exponential backoff with full jitter (contract 7, rule 4); `random` is in [0, 1).
 */
export function retryDelay(failure: Failure, random: () => number): number | undefined {
  if (!failure.retryable || failure.attempts >= MAX_ATTEMPTS) return undefined;
  const ceiling = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failure.attempts - 1));
  const delayMs = failure.hintMs ?? random() * ceiling;
  return delayMs < failure.remainingMs ? delayMs : undefined;
}
