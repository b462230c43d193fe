import { inspect } from "node:util";
import { REDACTED, useSecret } from "./redact.ts";

/**
 * A text that must never be shown: it prints, serialises and inspects as `[redacted]`. Only `reveal()`
 * returns the text, for a request, and to compare or hash it.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    useSecret(text);
  }

  reveal(): string {
    useSecret(this.#text);
    return this.#text;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/** Where a secret comes from. It is read again for each use, so a rotated file needs no restart. */
export interface SecretSource {
  /** For messages: `file "/run/secrets/billing"` or `environment variable "SEARCH_KEY"`; never the secret. */
  readonly origin: string;
  /** The path of a file in full, which the origin may have to hide. Not for messages. */
  readonly path?: string;
  /** The SHA-256 of the secret that was read last, in lower-case hexadecimal digits; undefined before the first one. */
  readonly hash?: () => string | undefined;
  /**
   * At once where no file is read, because a poll that waits for nothing is cheaper.
   * @throws Error that names the origin when the secret is unreadable, empty, or not one line of printable ASCII.
   */
  read(): Secret | Promise<Secret>;
}

/** Identifies a source. Not for messages. */
export function identityOf({ origin, path }: Pick<SecretSource, "origin" | "path">): string {
  return path ?? origin;
}
