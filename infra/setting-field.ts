import { z } from "zod";

/**
 * Settings arrive as strings: objects, lists, numbers and flags as JSON. Each field parses one; its error
 * message states the rule.
 */
export const flag = () => json("true or false", z.boolean(), "shown");

/** Strings by name. Messages never show a value, which may be a secret. `fault`: what is wrong with a string. */
export const textMap = (
  nameForm: RegExp,
  fault: (text: string, name: string) => string | undefined = () => undefined,
) =>
  z.string({ error: `is missing; it must be ${TEXT_MAP}` }).transform((written, context) => {
    const parsed = z.record(z.string(), z.unknown()).safeParse(valueOf(written));
    if (!parsed.success) {
      context.addIssue({ code: "custom", message: `is not ${TEXT_MAP}` });
      return z.NEVER;
    }
    const entries = Object.entries(parsed.data).map(([name, value]) => {
      const refuse = (message: string) => context.addIssue({ code: "custom", path: [name], message });
      const isText = typeof value === "string";
      const wrong = isText ? fault(value, name) : "is not a string; put numbers in quotes";
      if (wrong !== undefined) refuse(`the value (not shown) ${wrong}`);
      if (!nameForm.test(name)) refuse("Kubernetes does not accept this name");
      return [name, isText ? value : ""] as const;
    });
    return Object.fromEntries(entries);
  });

const TEXT_MAP = "an object of strings by name";

export const textList = () => json("a list of strings", z.array(z.string().min(1)));

export const object = () => json("an object", z.record(z.string(), z.unknown()));

export const count = (most: number) =>
  json(`an integer from 1 to ${most}`, z.number().int().min(1).max(most), "shown");

export function choice<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, { error: ({ input }) => isNot(`one of ${values.join(", ")}`, input) });
}

/** A string that matches a pattern; if `optional`, it may be empty. */
export function matching(rule: string, form: RegExp, optional: "optional" | "required" = "required") {
  return z
    .string({ error: ({ input }) => isNot(rule, input) })
    .refine((text) => form.test(text) || (optional === "optional" && text === ""), {
      error: ({ input }) => isNot(rule, input),
    });
}

/** Empty, or one line that is valid in a header (contract 5.1). Never shown in a message. */
export const secretText = () =>
  z
    .string({ error: `is missing; it must be ${SECRET_RULE}, or empty` })
    .refine((text) => text === "" || isSecretText(text), {
      error: `the value (not shown) is not ${SECRET_RULE}`,
    });

/** Secrets by name. Messages never show a secret. */
export const secretMap = (nameForm: RegExp) =>
  z.string({ error: "is missing; it must be an object of secrets by name" }).transform((text, context) => {
    const parsed = z.record(z.string(), z.unknown()).safeParse(valueOf(text));
    if (!parsed.success) {
      context.addIssue({ code: "custom", message: "is not an object of secrets by name" });
      return z.NEVER;
    }
    return Object.fromEntries(
      Object.entries(parsed.data).map(([name, value]) => {
        const secret = isSecretText(value) ? value : "";
        const isNamed = nameForm.test(name);
        const refuse = (message: string) => context.addIssue({ code: "custom", path: [name], message });
        if (!isNamed) refuse(`the name does not match ${nameForm.source.replace(/^\^|\$$/g, "")}`);
        if (secret === "") refuse(`the value (not shown) is not ${SECRET_RULE}`);
        return [name, secret];
      }),
    );
  });

const SECRET_RULE = "one line of printable ASCII without spaces";

function isSecretText(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
}

/** Messages show a value only if it is `shown`: a list or an object may contain a secret. */
export function json<Schema extends z.ZodType>(rule: string, schema: Schema, shown?: "shown") {
  return z
    .string({ error: ({ input }) => isNot(rule, input) })
    .transform((text, context): z.output<Schema> => {
      const parsed = schema.safeParse(valueOf(text));
      if (parsed.success) return parsed.data;
      context.addIssue({ code: "custom", message: shown ? isNot(rule, text) : `is not ${rule}` });
      return z.NEVER;
    });
}

function valueOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

const LONGEST_SHOWN = 60;

function isNot(rule: string, value: unknown): string {
  if (typeof value !== "string") return `is missing; it must be ${rule}`;
  const shown = value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value;
  return `${JSON.stringify(shown)} is not ${rule}`;
}
