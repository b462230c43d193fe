import { createHash } from "node:crypto";
import { holdsSecret } from "../secrets/redact.ts";

/** The label in place of a text of the service that reveals a secret. */
const CONCEALED = "_concealed";

/** The label that is shown for a text that `labelText` returned. */
export function shownLabel(text: string): string {
  return holdsSecret(text) ? CONCEALED : text;
}

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
  // After a cut, `holdsSecret` would not find the secret.
  if (holdsSecret(wellFormed)) return wellFormed;
  // Stops before a character that does not fit completely.
  const { read } = new TextEncoder().encodeInto(wellFormed, new Uint8Array(CUT_BYTES));
  const digest = createHash("sha256").update(wellFormed).digest("hex").slice(0, DIGEST_LENGTH);
  return `${wellFormed.slice(0, read)}${MARK}${digest}`;
}
