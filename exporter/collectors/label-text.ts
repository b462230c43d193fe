import { createHash } from "node:crypto";

/**
 * Longest text of the service that becomes a label value, UTF-8 bytes: what common stores of Prometheus data take. They
 * refuse longer ones, some of them the whole scrape with it, and anybody may name an app as he likes.
 */
const LONGEST_BYTES = 1024;

/** Sixteen hexadecimal digits: two texts with the same beginning stay two series. */
const DIGEST_LENGTH = 16;
const MARK = "…";
const CUT_BYTES = LONGEST_BYTES - Buffer.byteLength(MARK) - DIGEST_LENGTH;

/** A text of the service as a label value: lone surrogates become U+FFFD, and the end of a very long text its digest. */
export function labelText(text: string): string {
  const wellFormed = text.toWellFormed();
  // A UTF-16 unit is three bytes at most.
  if (wellFormed.length <= LONGEST_BYTES / 3 || Buffer.byteLength(wellFormed) <= LONGEST_BYTES) {
    return wellFormed;
  }
  // Stops before a character that does not fit as a whole.
  const { read } = new TextEncoder().encodeInto(wellFormed, new Uint8Array(CUT_BYTES));
  const digest = createHash("sha256").update(wellFormed).digest("hex").slice(0, DIGEST_LENGTH);
  return `${wellFormed.slice(0, read)}${MARK}${digest}`;
}
