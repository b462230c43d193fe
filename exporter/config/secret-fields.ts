import { z } from "zod";
import { broken } from "./field.ts";
import { isSecretField } from "./problem.ts";
import { looksSecret, quote } from "../secrets/quote.ts";
import { type Checked, has, type Report } from "./rules.ts";
import { SecretError } from "../secrets/secret-source.ts";
import type { SecretSource } from "../secrets/secret.ts";

const VARIABLE_RULE = "the name of an environment variable";

/** The name of an environment variable. */
export function variable() {
  return (
    z
      .string(broken(VARIABLE_RULE))
      // A user who misunderstands the field may write the secret itself here.
      .refine((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !looksSecret(name), {
        error: `the text (not shown: it may be a secret) is not ${VARIABLE_RULE}`,
      })
      .meta({ type: "variable", rule: "matches `[A-Za-z_][A-Za-z0-9_]*`" })
  );
}

export const API_KEY_FIELDS = ["api_key_file", "api_key_env"] as const;
export const MANAGEMENT_KEY_FIELDS = ["management_key_file", "management_key_env"] as const;

/** An entry that names its secret in one of two fields. */
export type SecretHolder<Field extends string> = Checked<
  Readonly<Partial<Record<Field, string | undefined>>>
>;

/** Finds out whether an entry names exactly one secret. */
export function checkSecret<Field extends string>(
  entry: SecretHolder<Field>,
  [file, env]: readonly [Field, Field],
  report: Report,
): void {
  // A secret written into the file has its own message.
  const unknown = entry.issues.flatMap(({ path, keys }) =>
    (path ?? []).length === 0 && Array.isArray(keys) ? keys : [],
  );
  if (has(entry, file) && has(entry, env))
    report([], `${file} and ${env} are mutually exclusive; keep one of them`);
  else if (!has(entry, file) && !has(entry, env) && !unknown.some((name) => isSecretField(String(name))))
    report([], `has no secret; set ${file} or ${env}`);
}

export interface NamedSecret {
  /** Such as `keys[0].api_key_file` or `keys_dir`. */
  readonly path: readonly PropertyKey[];
  /** Name of the key; absent for the management key. */
  readonly key?: string;
  readonly secret: SecretSource;
  /** Whether the exporter may start without it: a file of `keys_dir` may be filled later. */
  readonly isOptional?: boolean;
}

interface SecretReports extends Readonly<Record<"report" | "warn", Report>> {
  /** Whether a secret that cannot be read is only a warning, as it is while the exporter runs. */
  readonly isTolerant: boolean;
}

/** Two files are read at once, and each must be read within ten seconds from now on. */
const FILES_AT_ONCE = 64;

/** Reads every secret once at startup, to report problems before the first poll fails. */
export async function checkSecrets(
  secrets: readonly NamedSecret[],
  { report, warn, isTolerant }: SecretReports,
): Promise<void> {
  const holders = new Map<string, string>();
  for (let start = 0; start < secrets.length; start += FILES_AT_ONCE) {
    const batch = secrets.slice(start, start + FILES_AT_ONCE);
    for (const { path, key, isOptional, text, fault } of await Promise.all(batch.map(readOne))) {
      const polls = key === undefined ? "requests with it" : `polls of key ${quote(key)}`;
      if (fault !== undefined && (isOptional || isTolerant))
        warn(path, `${fault}; ${polls} fail until that is fixed`);
      else if (fault !== undefined) report(path, fault);
      if (text === undefined || key === undefined) continue;
      const holder = holders.get(text);
      if (holder === undefined) holders.set(text, key);
      else {
        const both = `key ${quote(key)} has the same secret as key ${quote(holder)}`;
        warn(path, `${both}: sums and budgets over keys count its credits twice`);
      }
    }
  }
}

async function readOne(
  named: NamedSecret,
): Promise<NamedSecret & { readonly text?: string; readonly fault?: string }> {
  try {
    return { ...named, text: (await named.secret.read()).reveal() };
  } catch (error) {
    if (error instanceof SecretError) return { ...named, fault: error.fault };
    throw error;
  }
}
