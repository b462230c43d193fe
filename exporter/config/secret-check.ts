import type { Problem } from "./problem.ts";
import { quote } from "./quote.ts";
import { SecretError } from "./secret-source.ts";
import type { SecretSource } from "./secret.ts";

export interface NamedSecret {
  /** Such as `keys[0].api_key_file` or `keys_dir`. */
  readonly path: string;
  /** Name of the key; absent for the management key. */
  readonly key: string | undefined;
  readonly source: SecretSource;
  /** Whether the exporter may start without it: a file of `keys_dir` may be filled later. */
  readonly isOptional: boolean;
}

export interface SecretFindings {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Reads every secret once at startup, to report problems before the first poll fails. */
export async function checkSecrets(secrets: readonly NamedSecret[]): Promise<SecretFindings> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const holders = new Map<string, string>();
  for (const { secret, text, fault } of await readAll(secrets)) {
    const { path, key, isOptional } = secret;
    if (fault !== undefined && isOptional) {
      warnings.push({ path, message: `${fault}; polls of key ${quote(key)} fail until that is fixed` });
    } else if (fault !== undefined) problems.push({ path, message: fault });
    if (text === undefined || key === undefined) continue;
    const holder = holders.get(text);
    if (holder === undefined) holders.set(text, key);
    else {
      warnings.push({
        path,
        message: `key ${quote(key)} has the same secret as key ${quote(holder)}: sums and budgets over keys count its credits twice`,
      });
    }
  }
  return { problems, warnings };
}

interface ReadSecret {
  readonly secret: NamedSecret;
  readonly text?: string;
  readonly fault?: string;
}

/** Well below the number of files that a process may have open. */
const FILES_AT_ONCE = 64;

async function readAll(secrets: readonly NamedSecret[]): Promise<ReadSecret[]> {
  const read: ReadSecret[] = [];
  for (let start = 0; start < secrets.length; start += FILES_AT_ONCE) {
    read.push(...(await Promise.all(secrets.slice(start, start + FILES_AT_ONCE).map(readOne))));
  }
  return read;
}

async function readOne(secret: NamedSecret): Promise<ReadSecret> {
  try {
    return { secret, text: (await secret.source.read()).reveal() };
  } catch (error) {
    if (error instanceof SecretError) return { secret, fault: error.fault };
    throw error;
  }
}
