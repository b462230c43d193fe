import { setTimeout as delay } from "node:timers/promises";
import { PATIENCE_MS } from "./patience.ts";

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
