import { z } from "zod";
import { parseDuration } from "../time/duration.ts";
import { quote } from "./quote.ts";
import { parseSchedule, SCHEDULE_RULE } from "./schedule-expression.ts";

/** Identifiers of workspaces and classifiers. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Names of keys, budgets and probes. They become label values; those of keys are also file names. */
export const KEY_NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/;

/** A mapping in which an unknown field is an error. Its message, {@link unknownField}, depends on the name. */
export function section<Shape extends z.core.$ZodShape>(shape: Shape) {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: ({ code, input }) => (code === "unrecognized_keys" ? known : isNot("a mapping", input)),
  });
}

export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: ({ input }) => isNot("a list", input) });
}

export function duration(from: string, to: string, example: string) {
  const rule = `a duration from ${from} to ${to}, such as ${example}`;
  const [least, most] = [parseDuration(from) ?? 0, parseDuration(to) ?? Infinity];
  return read(rule, "duration", (written) => {
    const ms = parseDuration(written);
    return ms !== undefined && ms >= least && ms <= most ? ms : undefined;
  });
}

export function byteSize(from: string, to: string, example: string) {
  const rule = `a size from ${from} to ${to}, such as ${example}, or a number of bytes`;
  const [least, most] = [parseByteSize(from) ?? 0, parseByteSize(to) ?? Infinity];
  const error = ({ input }: Issue) => isNot(rule, input);
  return z
    .union([z.string(), z.number()], { error })
    .transform((size, context) => {
      const bytes = parseByteSize(size);
      if (bytes !== undefined && bytes >= least && bytes <= most) return bytes;
      return refuse(context, isNot(rule, size));
    })
    .meta({ rule, type: "size" });
}

/**
 * Number of bytes of a size such as `512KiB` or `16MiB`, or undefined if the text is not a size. A plain number means
 * bytes.
 */
export function parseByteSize(size: string | number): number | undefined {
  const groups = SIZE.exec(String(size))?.groups;
  if (!groups) return undefined;
  return Number(groups["amount"]) * (FACTORS.get(groups["unit"] ?? "") ?? 1);
}

const SIZE = /^(?<amount>\d{1,10})(?<unit>KiB|MiB|GiB)?$/;

const FACTORS: ReadonlyMap<string, number> = new Map([
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
]);

export function integer(from: number, to: number) {
  const rule = `an integer from ${from} to ${to}`;
  const error = ({ input }: Issue) => isNot(rule, input);
  return z.int({ error }).min(from, { error }).max(to, { error }).meta({ rule, type: "integer" });
}

export function positiveNumber() {
  const rule = "a finite number above 0";
  const error = ({ input }: Issue) => isNot(rule, input);
  return z.number({ error }).gt(0, { error }).meta({ rule, type: "number" });
}

export function number(from: number, to: number) {
  const rule = `a number from ${from} to ${to}`;
  const error = ({ input }: Issue) => isNot(rule, input);
  return z.number({ error }).min(from, { error }).max(to, { error }).meta({ rule, type: "number" });
}

export function flag() {
  const rule = "true or false";
  return z.boolean({ error: ({ input }) => isNot(rule, input) }).meta({ rule, type: "boolean" });
}

export function text(from: number, to: number) {
  const rule = `a text of ${from} to ${to} characters`;
  const error = ({ input }: Issue) => isNot(rule, input, "put it in quotes");
  return z.string({ error }).min(from, { error }).max(to, { error }).meta({ rule, type: "text" });
}

/** Path of a file or a folder. */
export function path() {
  return text(1, 4096)
    .refine((written) => !SHELL_PATH.test(written), {
      error: ({ input }) =>
        `${quote(input)} is not a path: ~ and variables are not expanded; write it in full`,
    })
    .meta({ type: "path", rule: "relative to the folder of the configuration file" });
}

/** `~/keys`, `$HOME/keys`, `${HOME}/keys`. */
const SHELL_PATH = /^~|\$\{|^\$[A-Z_]/;

/** A text that matches a pattern. The message shows the pattern. */
export function pattern(form: RegExp, name: string) {
  const shown = form.source.replace(/^\^|\$$/g, "");
  return z
    .string({ error: ({ input }) => isNot(`a text that matches ${shown}`, input, "put it in quotes") })
    .regex(form, { error: ({ input }) => `${quote(input)} does not match ${shown}` })
    .meta({ rule: `matches \`${shown}\``, type: name });
}

export function schedule() {
  return z
    .string({ error: ({ input }) => isNot(SCHEDULE_RULE, input) })
    .transform((expression, context) => {
      const parsed = parseSchedule(expression);
      return parsed.ok ? parsed.schedule : refuse(context, `${quote(expression)} ${parsed.fault}`);
    })
    .meta({ rule: SCHEDULE_RULE, type: "schedule" });
}

/** A text that `parse` converts. Undefined means that the text breaks the rule. */
export function read<Value>(rule: string, type: string, parse: (written: string) => Value | undefined) {
  return z
    .string({ error: ({ input }) => isNot(rule, input) })
    .transform((written, context): Value => {
      const value = parse(written);
      return value === undefined ? refuse(context, isNot(rule, written)) : value;
    })
    .meta({ rule, type });
}

/** The message for a value that breaks its rule. */
export function isNot(rule: string, value: unknown, adviceForOtherTypes?: string): string {
  if (value === undefined) return `is missing; it must be ${rule}`;
  if (value === null) return `is empty; it must be ${rule}`;
  const advice = adviceOn(rule, value, adviceForOtherTypes);
  // A text in place of a mapping or a list does not help the reader, and may be a misplaced secret.
  const shown = /^a (mapping|list)$/.test(rule) && typeof value === "string" ? "a text" : quote(value);
  return `${shown} is not ${rule}${advice}`;
}

/** YAML reads quoted numbers as texts, and some texts without quotes as numbers. */
function adviceOn(rule: string, value: unknown, adviceForOtherTypes: string | undefined): string {
  if (isScalar(value)) return adviceForOtherTypes === undefined ? "" : `; ${adviceForOtherTypes}`;
  const isQuoted = /^(?:an? (?:integer|number|finite number)|true or false)/.test(rule);
  return isQuoted && typeof value === "string" && WRITTEN_SCALAR.test(value)
    ? "; write it without quotes"
    : "";
}

const WRITTEN_SCALAR = /^(?:-?\d+(?:\.\d+)?|true|false)$/;

type Issue = { readonly input?: unknown };

function isScalar(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean";
}

export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}
