import { z } from "zod";
import { parseDuration } from "../time/duration.ts";
import { quote } from "../secrets/quote.ts";
import { type CronFault, cronFaults } from "../time/cron.ts";
import type { ScheduleExpression } from "../time/ticker.ts";
import { DAY_MS } from "../time/window.ts";

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
  return z.array(item, broken("a list"));
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
  return z
    .union([z.string(), z.number()], broken(rule))
    .transform((size, context) => {
      const bytes = parseByteSize(size);
      if (bytes !== undefined && bytes >= least && bytes <= most) return bytes;
      return refuse(context, isNot(rule, size));
    })
    .meta({ rule, type: "size" });
}

/** Number of bytes of a size such as `512KiB` or `2048`. */
function parseByteSize(size: string | number): number | undefined {
  const [, amount, unit = "B"] = SIZE.exec(String(size)) ?? [];
  return amount === undefined ? undefined : Number(amount) * (FACTORS[unit] ?? 1);
}

const SIZE = /^(\d{1,10})(KiB|MiB|GiB)?$/;
const FACTORS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

export function integer(from: number, to: number) {
  const rule = `an integer from ${from} to ${to}`;
  const error = broken(rule);
  return z.int(error).min(from, error).max(to, error).meta({ rule, type: "integer" });
}

export function positiveNumber() {
  const rule = "a finite number above 0";
  return z.number(broken(rule)).gt(0, broken(rule)).meta({ rule, type: "number" });
}

export function number(from: number, to: number) {
  const rule = `a number from ${from} to ${to}`;
  const error = broken(rule);
  return z.number(error).min(from, error).max(to, error).meta({ rule, type: "number" });
}

export function flag() {
  const rule = "true or false";
  return z.boolean(broken(rule)).meta({ rule, type: "boolean" });
}

export function text(from: number, to: number) {
  const rule = `a text of ${from} to ${to} characters`;
  const error = broken(rule, "put it in quotes");
  return z.string(error).min(from, error).max(to, error).meta({ rule, type: "text" });
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
  const shown = shownPattern(form);
  return z
    .string(broken(`a text that matches ${shown}`, "put it in quotes"))
    .regex(form, { error: ({ input }) => `${quote(input)} does not match ${shown}` })
    .meta({ rule: `matches \`${shown}\``, type: name });
}

export function shownPattern({ source }: RegExp): string {
  return source.replace(/^\^|\$$/g, "");
}

/** One of some texts. */
export function choice<const Text extends string>(texts: readonly [Text, Text, ...Text[]], type: string) {
  const rule = `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
  return z.enum(texts, broken(rule)).meta({ rule: rule.replaceAll(/(?!or )\b\w+\b/g, "`$&`"), type });
}

export function uuid() {
  return read("a UUID", "UUID", (written) => (UUID.test(written) ? written.toLowerCase() : undefined));
}

export function schedule() {
  return z
    .string(broken(SCHEDULE_RULE))
    .transform((expression, context) => {
      const parsed = parseSchedule(expression);
      return typeof parsed === "string" ? refuse(context, `${quote(expression)} ${parsed}`) : parsed;
    })
    .meta({ rule: SCHEDULE_RULE, type: "schedule" });
}

/** A text that `parse` converts. Undefined means that it breaks the rule. */
export function read<Value>(rule: string, type: string, parse: (written: string) => Value | undefined) {
  return z
    .string(broken(rule))
    .transform((value, context): Value => parse(value) ?? refuse(context, isNot(rule, value)))
    .meta({ rule, type });
}

/** The message of a schema for a value that breaks its rule. */
export function broken(rule: string, adviceForOtherTypes?: string) {
  return { error: ({ input }: { readonly input?: unknown }) => isNot(rule, input, adviceForOtherTypes) };
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

function isScalar(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean";
}

export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}

const SCHEDULE_RULE = "a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s";

/**
 * A cron expression in UTC with five fields, or six with seconds, or an interval. Otherwise what is wrong with the text, to be
 * appended to it: `has an invalid minute field "61"`. A window changes at most once a day, so no interval is longer.
 */
export function parseSchedule(written: string): ScheduleExpression | string {
  const ms = parseDuration(written);
  if (ms !== undefined && ms >= 1000 && ms <= DAY_MS) return { kind: "interval", ms };
  const fields = written.trim().split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6) return `is not ${SCHEDULE_RULE}`;
  const expression = fields.join(" ");
  const faults = cronFaults(expression);
  return faults.length > 0 ? faults.map(faultText).join(" and ") : { kind: "cron", expression };
}

function faultText(fault: CronFault): string {
  if (fault.kind === "never") return "names a day that its months do not have";
  return `has an invalid ${fault.name === undefined ? "" : `${fault.name} `}field ${quote(fault.value)}`;
}
