import { inspect } from "node:util";

/**
 * A text that must never be shown: it prints, serialises and inspects as `[redacted]`.
 * Only `reveal()` gives the text, and only the request that needs it calls that.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    rememberSecret(text);
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

/** For what is no `Secret`, since somebody else's code wants a text: a private key, a hash. */
export function rememberSecret(text: string): void {
  // Those that are in use are read again and again, so the oldest is one that was rotated away.
  remembered.delete(text);
  remembered.add(text);
  const [oldest] = remembered.size > MOST_REMEMBERED ? remembered : [];
  if (oldest !== undefined) remembered.delete(oldest);
}

/**
 * A text of unknown origin without any secret that was read: what an unexpected error says, of code that is not ours, may
 * hold anything. Looks for all of them, so it is not for what happens often.
 */
export function withoutSecrets(text: string): string {
  // A secret may begin with another one.
  return [...remembered]
    .filter((secret) => secret !== "" && text.includes(secret))
    .toSorted((one, other) => other.length - one.length)
    .reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
}

/** Of the process: whoever says its last words knows no configuration. */
const remembered = new Set<string>();

const MOST_REMEMBERED = 50_000;

const REDACTED = "[redacted]";
