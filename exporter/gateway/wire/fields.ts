import { z } from "zod";
import { GatewayError } from "../errors.ts";
import { quote } from "../../secrets/quote.ts";
import { beginningOf, errorMessage } from "../response-body.ts";

/**
 * Parses a body.
 * @throws GatewayError `bad_response` that names the first problem; `action` names the attempted action.
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown, action: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  // Some services send an error with the status of a success.
  const sent = errorMessage(body);
  const problem =
    sent === undefined
      ? `${shapeProblem(parsed.error)}${foreignBody(body)}`
      : `gateway answered with an error: ${sent}`;
  throw new GatewayError("bad_response", `Cannot ${action}: ${problem}`);
}

/** The beginning of a body of another service; one with `data` has figures that are not for the log. */
function foreignBody(body: unknown): string {
  const isOther =
    typeof body === "object" && body !== null && !("data" in body) && Object.keys(body).length > 0;
  return isOther ? `; the answer begins ${quote(beginningOf(JSON.stringify(body)), 80)}` : "";
}

/** Fields of an object: by the name of the domain, the name on the wire and how the value is read. */
type FieldTable = Readonly<Record<string, readonly [wire: string, schema: z.ZodType]>>;
type ValuesOf<Table extends FieldTable> = { readonly [Name in keyof Table]: z.output<Table[Name][1]> };

/** Reads an object with these fields. The result has the names of the domain. */
export function objectOf<const Table extends FieldTable>(table: Table): z.ZodType<ValuesOf<Table>>;
export function objectOf(table: FieldTable): z.ZodType {
  const fields = Object.entries(table);
  return z
    .object(Object.fromEntries(fields.map(([, [wire, schema]]) => [wire, schema])))
    .transform((row) => Object.fromEntries(fields.map(([name, [wire]]) => [name, row[wire]])));
}

/** Where each value comes from, for HELP texts: `field limit of GET /key`. */
export function provenanceOf<Name extends string>(
  table: Readonly<Record<Name, string | readonly [wire: string, ...unknown[]]>>,
  request: string,
  kind?: string,
): Readonly<Record<Name, string>>;
export function provenanceOf(
  table: Readonly<Record<string, string | readonly [wire: string, ...unknown[]]>>,
  request: string,
  kind = "field ",
): Readonly<Record<string, string>> {
  const textOf = (wire: string) => `${kind}${wire} of ${request}`;
  return Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [
      name,
      textOf(typeof entry === "string" ? entry : entry[0]),
    ]),
  );
}

/**
 * A number as services write it: a JSON number or a decimal string, sometimes mixed (observed-behaviour 1). Null
 * stays null: no value, which is not 0. Anything else is a wrong type.
 */
export const wireNumber = z.union(
  [
    z.number(),
    z
      .string()
      // Unambiguous, so that many digits cause no backtracking, and bounded, because a text may have millions.
      .regex(/^(?=[^]{1,400}$)\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$/)
      .transform(Number)
      .pipe(z.number()),
  ],
  { error: "Invalid input: expected a finite number" },
);

/** A field that may be missing or null; both mean that the value is unknown. A wrong type is an error. */
export function known<T>(schema: z.ZodType<T>) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A field beyond the contract: used if valid, otherwise ignored. */
export function optional<T>(schema: z.ZodType<T>) {
  return known(schema).catch(undefined);
}

/** The first problem of a body, with its path but without its value, which might be a secret. */
export function shapeProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "unknown problem";
  const place = issue.path.map(String).join(".");
  return `${place === "" ? "the body" : place}: ${issue.message}`;
}
