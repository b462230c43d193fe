import { createHash } from "node:crypto";

/**
 * The hash of a configuration as a metric shows it: the first 48 bits of the SHA-256 of the file, because a
 * sample holds integers of 53 bits. In a shell: `printf '%d\n' 0x$(sha256sum <config.yaml | cut -c1-12)`.
 */
export function configHash(text: string): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}
