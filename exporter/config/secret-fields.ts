import { z } from "zod";
import { isNot } from "./field.ts";
import { isSecretField } from "./problem.ts";
import { looksSecret } from "./quote.ts";
import { type Checked, type Finding, has, right } from "./rules.ts";

/** Where a secret is: the path of a file, or the name of an environment variable. */
export interface SecretReference {
  readonly kind: "file" | "env";
  readonly target: string;
  /** The field that names it, such as `api_key_file`. */
  readonly field: string;
}

const VARIABLE_RULE = "the name of an environment variable";

/** The name of an environment variable. */
export function variable() {
  return (
    z
      .string({ error: ({ input }) => isNot(VARIABLE_RULE, input) })
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
type SecretHolder<Field extends string> = Checked<Readonly<Partial<Record<Field, string | undefined>>>>;

/** The secret that an entry names; undefined if it names none or two, or the name is invalid. */
export function secretReference<Field extends string>(
  entry: SecretHolder<Field>,
  [file, env]: readonly [Field, Field],
): SecretReference | undefined {
  if (has(entry, file) === has(entry, env)) return undefined;
  const [kind, field] = has(entry, file) ? (["file", file] as const) : (["env", env] as const);
  const target = right(entry, field);
  return target === undefined ? undefined : { kind, target, field };
}

/** Finds out whether an entry names exactly one secret. */
export function secretFindings<Field extends string>(
  entry: SecretHolder<Field>,
  [file, env]: readonly [Field, Field],
): readonly Finding[] {
  if (has(entry, file) && has(entry, env)) {
    return [{ path: [], message: `${file} and ${env} are mutually exclusive; keep one of them` }];
  }
  // A secret written into the file has its own message.
  if (has(entry, file) || has(entry, env) || unknownFields(entry).some(isSecretField)) return [];
  return [{ path: [], message: `has no secret; set ${file} or ${env}` }];
}

function unknownFields({ issues }: Checked<unknown>): readonly string[] {
  return issues.flatMap(({ path: steps = [], keys }) =>
    steps.length === 0 && Array.isArray(keys) ? keys.map(String) : [],
  );
}
