import { setTimeout as delay } from "node:timers/promises";

/**
 * Polls something outside the process (a server, a file) until `accept` returns true, in real time and within a
 * bound. For events inside the process, use the manual clock. The error shows the last value.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T> | T,
  accept: (seen: T) => boolean,
  { timeoutMs = PATIENCE_MS, pauseMs = 25 }: { readonly timeoutMs?: number; readonly pauseMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (accept(seen)) return seen;
    if (performance.now() > deadline) {
      throw new Error(
        `Cannot wait longer than ${timeoutMs} ms for ${what}: last seen ${JSON.stringify(seen)}`,
      );
    }
    await delay(pauseMs);
  }
}

/**
 * How long a test waits at most for another process. A test that passes waits only as long as it must, so the bound
 * is generous: it is for a process that hangs, not for a busy machine. Shorter than the timeout of a test.
 */
export const PATIENCE_MS = 90_000;
