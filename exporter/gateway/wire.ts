import { z } from "zod";

/**
 * A number as services write it: a JSON number or a decimal string, in one answer this, in the next that
 * (observed-behaviour 1). Null stays null: no value, which is not 0. Anything else is a wrong type.
 */
export const wireNumber = z.union(
  [
    z.number(),
    z
      .string()
      // One way to read each digit: with two, a text of a million of them would take for ever.
      .regex(/^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$/)
      .transform(Number)
      .pipe(z.number()),
  ],
  { error: "Invalid input: expected a finite number" },
);

/** A field that may be missing or null, which both mean that the answer does not tell; a wrong type is an error. */
export function known<T>(schema: z.ZodType<T>) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A field that the contract does not promise: read when it makes sense, ignored when it does not. */
export function optional<T>(schema: z.ZodType<T>) {
  return known(schema).catch(undefined);
}

/** The first problem of a body, with its place and without its value, which might be anything. */
export function shapeProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "unknown problem";
  const place = issue.path.map(String).join(".");
  return `${place === "" ? "the body" : place}: ${issue.message}`;
}
