import { inspect } from "node:util";

/**
 * A text that must never be shown: it prints, serialises and inspects as `[redacted]`.
 * Only `reveal()` returns the text, and only the request that needs it calls `reveal()`.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    rememberSecrets(this, [text]);
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

/** Where a secret comes from. It is read again for each use, so a rotated file needs no restart. */
export interface SecretSource {
  /** For messages: `file "/run/secrets/billing"` or `environment variable "SEARCH_KEY"`; never the secret. */
  readonly origin: string;
  /** The path of a file in full, which the origin may have to hide. Not for messages. */
  readonly path?: string;
  /** @throws Error that names the origin when the secret is unreadable, empty, or not one line of printable ASCII. */
  read(): Promise<Secret>;
}

/** Identifies a source. Not for messages. */
export function identityOf({ origin, path }: SecretSource): string {
  return path ?? origin;
}

/**
 * Keeps texts out of error messages while their owner exists: a `Secret`, or the configuration with a private key or
 * a hash, which other code needs as text.
 */
export function rememberSecrets(owner: object, texts: readonly string[]): void {
  const reference = new WeakRef(owner);
  remembered.set(owner, texts);
  owners.add(reference);
  collected.register(owner, reference);
}

/**
 * Removes the secrets in use from a text. For unexpected errors of other code, which may contain anything. It
 * searches for every secret, so it is too slow for frequent use.
 */
export function withoutSecrets(text: string): string {
  return (
    [...owners]
      .flatMap((reference) => textsOf(reference.deref()))
      .filter((secret) => secret !== "" && text.includes(secret))
      // One secret may be a prefix of another.
      .toSorted((one, other) => other.length - one.length)
      .reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text)
  );
}

// One for the process, because the handler of uncaught errors has no configuration. All references are weak.
const remembered = new WeakMap<object, readonly string[]>();
const owners = new Set<WeakRef<object>>();
const collected = new FinalizationRegistry<WeakRef<object>>((reference) => owners.delete(reference));

function textsOf(owner: object | undefined): readonly string[] {
  return (owner && remembered.get(owner)) ?? [];
}

const REDACTED = "[redacted]";
