import { closest, distance } from "fastest-levenshtein";
import type { z } from "zod";
import { looksSecret, quote } from "./quote.ts";

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

/** How many problems are shown. */
export const MOST_SHOWN = 100;

/** The problems that zod found, one per field. `place`: the path of the section that zod checked. */
export function problemsOf(error: z.ZodError, place: readonly PropertyKey[] = []): Problem[] {
  return error.issues.flatMap((issue) => {
    const path = [...place, ...issue.path];
    if (issue.code !== "unrecognized_keys") return [{ path: pathText(path), message: issue.message }];
    return issue.keys.map((key, index) => ({
      path: pathText([...path, key]),
      message: isSecretField(key)
        ? secretAdvice(path, key)
        : unknownField(key, issue.message, index < MOST_SHOWN),
    }));
  });
}

/**
 * `known`: the names of the section's fields, separated by commas. `isShown`: the search for a near name
 * takes time.
 */
function unknownField(name: string, known: string, isShown: boolean): string {
  if (!isShown) return "is not a known field";
  const nearest = closest(name.toLowerCase(), known.split(", "));
  const isNear = distance(name.toLowerCase(), nearest) <= Math.max(1, nearest.length / 3);
  return `is not a known field; ${isNear ? `did you mean ${nearest}? Known` : "known"} fields: ${known}`;
}

/**
 * The first problems with their lines, and how many others were found: nobody reads more, and each costs time. A field
 * that is missing has the line of its section.
 */
export function firstProblems(
  problems: readonly Problem[],
  lineOf: (path: string) => number | undefined,
): readonly Problem[] {
  const more = problems.length - MOST_SHOWN;
  const shown = problems
    .slice(0, MOST_SHOWN)
    .map((problem) => ({ ...problem, line: nearestLine(problem.path, lineOf) }));
  return more <= 0 ? shown : [...shown, { path: "", message: `and at least ${more} more problems` }];
}

function nearestLine(path: string, lineOf: (path: string) => number | undefined): number | undefined {
  if (path === "") return undefined;
  return lineOf(path) ?? nearestLine(parentPath(path), lineOf);
}

export function withoutRepetitions(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.path}\n${problem.message}`, problem])).values()];
}

/** The path of the section or the list that contains a field; empty for the top level. */
function parentPath(path: string): string {
  return path.replace(/(?:^|\.)[\w-]+$|\[[^[]*\]$/, "");
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
  const name = root === "analytics" || /management/i.test(field) ? "management_key" : "api_key";
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
