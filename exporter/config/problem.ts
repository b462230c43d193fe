import type { z } from "zod";
import { looksSecret, quote } from "../secrets/quote.ts";
import { nearestName } from "../nearest-name.ts";
import type { Finding } from "./rules.ts";

/** Something in the configuration that must be changed before it can be used. */
export interface Problem {
  /** Such as `keys[3].name`; empty for the file as a whole. */
  readonly path: string;
  /** The value and the broken rule; never a secret. */
  readonly message: string;
  /** The line of the field, or of the section that lacks it, from 1; absent if the problem is not in one place. */
  readonly line?: number | undefined;
}

/** `config.yaml: line 12: keys[3].name: "Billing" does not match [a-z0-9][a-z0-9_.-]{0,63}` */
export function formatProblem(file: string, { path, message, line }: Problem): string {
  const places = [file, ...(line === undefined ? [] : [`line ${line}`]), ...(path === "" ? [] : [path])];
  return `${places.join(": ")}: ${message}`;
}

/** What zod found, one finding per field. */
export function findingsOf(error: z.ZodError | undefined): Finding[] {
  return (error?.issues ?? []).flatMap((issue): Finding[] => {
    if (issue.code !== "unrecognized_keys") return [issue];
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: isSecretField(key) ? secretAdvice(issue.path, key) : unknownField(key, issue.message),
    }));
  });
}

/** `known`: the names of the section's fields, separated by commas. */
function unknownField(name: string, known: string): string {
  if (name.startsWith("management_key_")) return "is not a field of this section: it belongs in analytics";
  const nearest = nearestName(name.toLowerCase(), known.split(", "));
  return `is not a known field; ${nearest === undefined ? "known" : `did you mean ${nearest}? Known`} fields: ${known}`;
}

/** How many problems are shown: nobody reads more. */
const MOST_SHOWN = 100;

/** The first findings with their lines, and how many others there are. */
export function problemsOf(
  findings: readonly Finding[],
  lineOf: (path: readonly PropertyKey[]) => number | undefined = () => undefined,
): readonly Problem[] {
  const more = findings.length - MOST_SHOWN;
  const shown = findings
    .slice(0, MOST_SHOWN)
    .map(({ path, message }) => ({ path: pathText(path), message, line: lineOf(path) }));
  return more <= 0 ? shown : [...shown, { path: "", message: `and at least ${more} more problems` }];
}

/** Whether the name of a field suggests that its value is the secret itself. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELDS.has(name.toLowerCase().replace(/[^a-z]/g, ""));
}

export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    const name = String(step);
    if (!/^[\w-]+$/.test(name) || looksSecret(name)) return `${text}[${quote(name)}]`;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}

function secretAdvice([root]: readonly PropertyKey[], field: string): string {
  const management = root === "analytics" ? "management_key" : "analytics.management_key";
  const name = root === "analytics" || /management/i.test(field) ? management : "api_key";
  return (
    `a secret must not be written in this file; put it into a file and name the file in ${name}_file, ` +
    `or into an environment variable and name the variable in ${name}_env`
  );
}

const SECRET_FIELDS: ReadonlySet<string> = new Set([
  "apikey",
  "apitoken",
  "authorization",
  "bearer",
  "bearertoken",
  "managementkey",
  "password",
  "secret",
  "token",
]);
