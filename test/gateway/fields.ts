import { Refusal } from "./refusal.ts";

/** Readers for JSON of unknown shape. Every error is a 400 that names the field. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function wrong(name: string, value: unknown, wanted: string): Refusal {
  const text = JSON.stringify(value) ?? "nothing";
  const current = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return new Refusal(400, `Invalid "${name}": expected ${wanted}, got ${current}`);
}

export function readFields(value: unknown, name: string, allowed: readonly string[]): Fields {
  if (!isFields(value)) throw wrong(name, value, "an object");
  for (const field of Object.keys(value)) {
    if (!allowed.includes(field)) throw new Refusal(400, `Unknown field "${field}" in "${name}"`);
  }
  return value;
}

export function readText(value: unknown, name: string): string {
  if (typeof value !== "string") throw wrong(name, value, "a string");
  return value;
}

export function readInteger(value: unknown, name: string, least = Number.MIN_SAFE_INTEGER): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least) {
    const bound = least === Number.MIN_SAFE_INTEGER ? "" : ` of at least ${least}`;
    throw wrong(name, value, `an integer${bound}`);
  }
  return value;
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text);
}

export function readNumber(value: unknown, name: string): number {
  if (typeof value !== "number" || Number.isNaN(value)) throw wrong(name, value, "a number");
  return value;
}

export function readBoolean(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw wrong(name, value, "true or false");
  return value;
}

export function readList(value: unknown, name: string, least: number, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(name, value, "an array");
  if (value.length < least) throw wrong(name, value, `at least ${least} item`);
  if (value.length > most) {
    throw new Refusal(400, `Invalid "${name}": expected at most ${most} items, got ${value.length}`);
  }
  return value;
}

export function readOneOf<const Choice extends string>(
  value: unknown,
  name: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw wrong(name, value, `one of ${choices.join(", ")}`);
  return choice;
}
