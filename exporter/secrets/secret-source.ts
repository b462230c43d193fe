import { createHash } from "node:crypto";
import { type Files, readingFault } from "./files.ts";
import { quote, quotePath } from "./quote.ts";
import { holdSecrets } from "./redact.ts";
import { identityOf, Secret, type SecretSource } from "./secret.ts";

/** A secret in a file, which is read at each call, so a rotated file is used at once. */
export function fileSecret(path: string, files: Pick<Files, "readFile">): SecretSource {
  const origin = `file ${quotePath(path)}`;
  return createSource({ origin, path }, async () => {
    const text = await files.readFile(path, MOST_BYTES).catch((error: unknown) => {
      throw new SecretError(`${origin} ${readingFault(error)}`);
    });
    return checkedText(text, origin);
  });
}

/** A secret in an environment variable. */
export function environmentSecret(name: string, environment: Environment): SecretSource {
  const origin = `environment variable ${quote(name)}`;
  const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (text !== undefined) holdSecrets(name, [text.trim()]);
  return createSource({ origin }, () => {
    if (text === undefined) throw new SecretError(`${origin} is not set`);
    return checkedText(text, origin);
  });
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
  // Editors write a byte order mark; files for a shell have quotes.
  const written = text.replace(/^\uFEFF/, "").replace(/\r?\n$/, "");
  const [, , quoted] = /^(["'])(.*)\1$/.exec(written) ?? [];
  const secret = quoted ?? written;
  if (secret === "") throw new SecretError(`${origin} is empty`);
  if (secret.trim() !== secret) {
    throw new SecretError(
      `${origin} has white space around the secret; only one newline at its end is allowed`,
    );
  }
  if (/^(?:export )?[A-Z_][A-Z0-9_]*=[^=]/.test(secret)) {
    throw new SecretError(`${origin} contains NAME=value; it must contain the value alone`);
  }
  if (/^\$(?:\{\w+\}|[A-Z_]\w*)$/.test(secret))
    throw new SecretError(
      `${origin} contains the name of a variable, which nothing has replaced by its value`,
    );
  // It becomes a header: contract 5.1.
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw new SecretError(`${origin} is not one line of printable ASCII without spaces`);
  }
  if (secret.length > LONGEST_SECRET) {
    throw new SecretError(`${origin} is longer than ${LONGEST_SECRET} characters`);
  }
  return secret;
}

function createSource(
  names: Pick<SecretSource, "origin" | "path">,
  readText: () => string | Promise<string>,
): SecretSource {
  let latest: { readonly secret: Secret; readonly hash: string } | undefined;

  function secretOf(text: string): Secret {
    if (latest?.secret.reveal() !== text) {
      holdSecrets(identityOf(names), [text]);
      latest = { secret: new Secret(text), hash: createHash("sha256").update(text).digest("hex") };
    }
    return latest.secret;
  }

  return {
    ...names,
    read: () => {
      const text = readText();
      return typeof text === "string" ? secretOf(text) : text.then(secretOf);
    },
    hash: () => latest?.hash,
  };
}
