import { createHash } from "node:crypto";
import { readingFault } from "./file-error.ts";
import type { Files } from "./files.ts";
import { quote, quotePath } from "./quote.ts";
import { Secret, type SecretSource } from "./secret.ts";

/** A secret in a file, which is read at each call, so a rotated file is used at once. */
export function fileSecret(path: string, files: Pick<Files, "readFile">): SecretSource {
  const origin = `file ${quotePath(path)}`;
  const latest = latestSecret();
  return {
    origin,
    path,
    read: async () => {
      const text = await files.readFile(path, MOST_BYTES).catch((error: unknown) => {
        throw new SecretError(`${origin} ${readingFault(error)}`);
      });
      return latest.of(checkedText(text, origin));
    },
    hash: latest.hash,
  };
}

/** A secret in an environment variable, which is read when the configuration is loaded. */
export function environmentSecret(name: string, environment: Environment): SecretSource {
  const origin = `environment variable ${quote(name)}`;
  const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
  const written = text === undefined ? undefined : new Secret(text);
  const latest = latestSecret();
  let checked: Secret | undefined;
  return {
    origin,
    read: () => {
      if (!written) throw new SecretError(`${origin} is not set`);
      checked ??= latest.of(checkedText(written.reveal(), origin));
      return checked;
    },
    hash: latest.hash,
  };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A source has no usable secret. The error contains nothing of the text that was read. */
export class SecretError extends Error {
  /** Such as `file "/run/secrets/billing" is empty`. */
  readonly fault: string;

  constructor(fault: string) {
    super(`Cannot read a secret: ${fault}`);
    this.name = "SecretError";
    this.fault = fault;
  }
}

/** More than the longest secret with its newline, so that the message about it is the better one. */
const MOST_BYTES = 8192;

/** Far longer than any key, far shorter than the headers that servers accept. */
const LONGEST_SECRET = 4096;

function checkedText(text: string, origin: string): string {
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") throw new SecretError(`${origin} is empty`);
  if (secret.trim() !== secret) {
    throw new SecretError(
      `${origin} has white space around the secret; only one newline at its end is allowed`,
    );
  }
  // It becomes a header: contract 5.1.
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw new SecretError(`${origin} is not one line of printable ASCII without spaces`);
  }
  if (secret.length > LONGEST_SECRET) {
    throw new SecretError(`${origin} is longer than ${LONGEST_SECRET} characters`);
  }
  return secret;
}

/**
 * Returns the texts of a source as secrets, and keeps the latest two. A request that still uses the previous
 * one may fail with an error that shows it.
 */
function latestSecret() {
  let kept: readonly Secret[] = [];
  let hashed: { readonly secret: Secret; readonly hash: string } | undefined;
  return {
    of: (text: string): Secret => {
      const [current] = kept;
      if (current?.reveal() === text) return current;
      const next = new Secret(text);
      kept = current ? [next, current] : [next];
      return next;
    },
    hash: (): string | undefined => {
      const [secret] = kept;
      if (secret && hashed?.secret !== secret) {
        hashed = { secret, hash: createHash("sha256").update(secret.reveal()).digest("hex") };
      }
      return hashed?.hash;
    },
  };
}
