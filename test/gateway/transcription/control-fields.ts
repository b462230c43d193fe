import {
  type Fields,
  isFields,
  readBoolean,
  readFields,
  readInteger,
  readNumber,
  readText,
  wrong,
} from "../fields.ts";
import type { Manner } from "./manner.ts";
import { type NewRecording, sha256Of } from "./recordings.ts";

/** Parses changes of a manner from JSON: the same fields as in TypeScript, and `model` if they apply to one model only. */
export function readManner(value: unknown): { changes: Partial<Manner>; model: string | null } {
  if (!isFields(value)) throw wrong("body", value, "an object");
  const names = Object.keys(readers).filter((name): name is keyof Manner => name in readers);
  const fields = readFields(value, "body", ["model", ...names]);
  const changes: Partial<Manner> = {};
  for (const name of names) {
    if (name in fields) Object.assign(changes, { [name]: readers[name](fields[name], name) });
  }
  return { changes, model: "model" in fields ? readText(fields["model"], "model") : null };
}

type Readers = { readonly [Name in keyof Manner]: (value: unknown, name: string) => Manner[Name] };

const orNull =
  <Value>(read: (value: unknown, name: string) => Value) =>
  (value: unknown, name: string): Value | null =>
    value === null ? null : read(value, name);
const readCount = (value: unknown, name: string): number => readInteger(value, name, 0);

const readers: Readers = {
  latencyMs: readCount,
  microsPerMinute: readCount,
  micros: orNull(readCount),
  deletedWords: readCount,
  substitutedWords: readCount,
  insertedWords: readCount,
  text: orNull(readText),
  confidence: orNull(readNumber),
  detectedLanguage: orNull(readText),
  usage: readBoolean,
  words: readBoolean,
  verbose: readBoolean,
  status: orNull((value, name) => readInteger(value, name, 400)),
};

/** Parses a recording from JSON. Its bytes are given as `data` in base64, or by their `sha256`. */
export function readRecording(value: unknown): NewRecording {
  const fields = readFields(value, "body", ["sha256", "data", "text", "seconds", "language"]);
  return {
    sha256: readHash(fields),
    text: readText(fields["text"], "text"),
    ...("seconds" in fields ? { seconds: readNumber(fields["seconds"], "seconds") } : {}),
    ...("language" in fields ? { language: readText(fields["language"], "language") } : {}),
  };
}

function readHash(fields: Fields): string {
  if ("data" in fields) return sha256Of(Buffer.from(readText(fields["data"], "data"), "base64"));
  const hash = readText(fields["sha256"], "sha256");
  if (!/^[0-9a-f]{64}$/u.test(hash)) throw wrong("sha256", hash, "64 lower-case hexadecimal digits");
  return hash;
}
