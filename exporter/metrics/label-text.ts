import { createHash } from "node:crypto";
import { holdsSecret } from "../secrets/redact.ts";

/** The label in place of a text of the service that reveals a secret. */
const CONCEALED = "_concealed";

/** The label that is shown for a text that `labelText` returned. */
export function shownLabel(text: string): string {
  return holdsSecret(text) ? CONCEALED : text;
}

/**
 * Longest text of the service that becomes a label value, in UTF-16 units. Common stores of Prometheus data reject
 * values of more than 1 kB, some even the whole scrape, and users may give a key or an app any name.
 */
const LONGEST = 256;

/** Sixteen hexadecimal digits, so that two texts with the same beginning remain two series. */
const DIGEST_LENGTH = 16;
const MARK = "…";

/**
 * A text of the service as a label value: a lone surrogate becomes U+FFFD, and a digest replaces the end of a very
 * long text.
 */
export function labelText(text: string): string {
  const wellFormed = text.toWellFormed();
  // After a cut, `holdsSecret` would not find the secret.
  if (wellFormed.length <= LONGEST || holdsSecret(wellFormed)) return wellFormed;
  const beginning = wellFormed.slice(0, LONGEST - MARK.length - DIGEST_LENGTH);
  const digest = createHash("sha256").update(wellFormed).digest("hex").slice(0, DIGEST_LENGTH);
  // Not half of a pair of surrogates.
  return `${beginning.replace(/[\ud800-\udbff]$/, "")}${MARK}${digest}`;
}
