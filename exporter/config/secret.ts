import { inspect } from "node:util";

/**
 * A text that must never be shown: it prints, serialises and inspects as `[redacted]`.
 * Only `reveal()` gives the text, and only the request that needs it calls that.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
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

/** Where a secret comes from. It is read again for each use, so that a rotated file needs no restart. */
export interface SecretSource {
  /** For messages: `file "/run/secrets/billing"` or `environment variable "SEARCH_KEY"`; never the secret. */
  readonly origin: string;
  /** The path of a file as it is, which the origin may have to hide. Not for messages. */
  readonly path?: string;
  /** @throws Error that names the origin when there is no secret to be had: unreadable, empty, or not one line of printable ASCII. */
  read(): Promise<Secret>;
}

/** Tells two sources apart. Not for messages. */
export function identityOf({ origin, path }: SecretSource): string {
  return path ?? origin;
}

const REDACTED = "[redacted]";
