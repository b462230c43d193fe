import { readingFault, type Files } from "./files.ts";
import { quote, quotePath } from "./quote.ts";
import { Secret, type SecretSource } from "./secret.ts";

/** A secret that is the content of a file; read at each call, so that a rotated file is used at once. */
export function fileSecret(path: string, files: Pick<Files, "readFile">): SecretSource {
  const origin = `file ${quotePath(path)}`;
  return {
    origin,
    path,
    read: async () => {
      const text = await files.readFile(path).catch((error: unknown) => {
        throw new SecretError(`${origin} ${readingFault(error)}`);
      });
      return checkedSecret(text, origin);
    },
  };
}

/** A secret that is the value of an environment variable when the configuration is loaded. */
export function environmentSecret(name: string, environment: Environment): SecretSource {
  const origin = `environment variable ${quote(name)}`;
  const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
  const secret = text === undefined ? undefined : new Secret(text);
  return {
    origin,
    read: async () => {
      if (!secret) throw new SecretError(`${origin} is not set`);
      return checkedSecret(secret.reveal(), origin);
    },
  };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** There is no secret to be had. Neither the message nor anything else here holds what was read. */
export class SecretError extends Error {
  /** `file "/run/secrets/billing" is empty`. */
  readonly fault: string;

  constructor(fault: string) {
    super(`Cannot read a secret: ${fault}`);
    this.name = "SecretError";
    this.fault = fault;
  }
}

/** Far above any key, far below what a server takes as a header. */
const LONGEST_SECRET = 4096;

function checkedSecret(text: string, origin: string): Secret {
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
  return new Secret(secret);
}
