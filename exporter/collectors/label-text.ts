import { createHash } from "node:crypto";
import { setImmediate as pause } from "node:timers/promises";
import { holdsSecret } from "../config/secret.ts";

/** The label in place of a text of the service that reveals a secret. */
const CONCEALED = "_concealed";

/** The label that is shown for a text that `labelText` returned. */
export function shownLabel(text: string): string {
  return holdsSecret(text) ? CONCEALED : text;
}

/**
 * Tests texts that `labelText` returned, in pieces between which scrapes are answered: a thousand hostile ones take
 * seconds. Returns what is shown for each.
 */
export async function shownLabels(texts: readonly string[]): Promise<(text: string) => string> {
  const shown = new Map<string, string>();
  let untilPause = LETTERS_AT_ONCE;
  for (const text of texts) {
    if (shown.has(text)) continue;
    shown.set(text, shownLabel(text));
    untilPause -= text.length;
    if (untilPause > 0) continue;
    await pause();
    untilPause = LETTERS_AT_ONCE;
  }
  return (text) => shown.get(text) ?? shownLabel(text);
}

/** About 10 ms at worst. The labels of usual answers are fewer. */
const LETTERS_AT_ONCE = 4096;

/**
 * Longest text of the service that becomes a label value, in UTF-8 bytes. Common stores of Prometheus data reject
 * longer ones, some even the whole scrape, and users may give an app any name.
 */
const LONGEST_BYTES = 1024;

/** Sixteen hexadecimal digits, so that two texts with the same beginning remain two series. */
const DIGEST_LENGTH = 16;
const MARK = "…";
const CUT_BYTES = LONGEST_BYTES - Buffer.byteLength(MARK) - DIGEST_LENGTH;

/**
 * A text of the service as a label value: a lone surrogate becomes U+FFFD, and a digest replaces the end of a very
 * long text.
 */
export function labelText(text: string): string {
  const wellFormed = text.toWellFormed();
  // A UTF-16 unit is three bytes at most.
  if (wellFormed.length <= LONGEST_BYTES / 3 || Buffer.byteLength(wellFormed) <= LONGEST_BYTES) {
    return wellFormed;
  }
  // Stops before a character that does not fit completely.
  const { read } = new TextEncoder().encodeInto(wellFormed, new Uint8Array(CUT_BYTES));
  const digest = createHash("sha256").update(wellFormed).digest("hex").slice(0, DIGEST_LENGTH);
  return `${wellFormed.slice(0, read)}${MARK}${digest}`;
}
