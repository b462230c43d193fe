import { dimensionNames } from "../analytics/dimensions.ts";
import { inFlightReasons, movementKinds } from "../entities.ts";
import { type Fields, readFields, readInteger, readOneOf, readText } from "../fields.ts";
import { resets } from "../windows.ts";
import type { AccountBooks } from "./account-books.ts";
import type { KeyChanges } from "./key-changes.ts";
import type { NewMovement } from "./movements.ts";

export type AccountControls = KeyChanges & {
  readonly books: AccountBooks;
  readonly moveCredits: (movement: NewMovement) => void;
};

/** Parses the body of a POST to /_sim/<name> and changes a key or a balance. */
export const accountActions: Readonly<Record<string, (controls: AccountControls, body: unknown) => void>> = {
  limit: ({ setLimit }, body) => {
    const fields = readFields(body, "body", ["key", "micros", "reset"]);
    setLimit(keyOf(fields), orNull(fields["micros"], "micros", readInteger), readReset(fields));
  },
  disable: ({ disable }, body) => disable(keyOf(readFields(body, "body", ["key"]))),
  enable: ({ enable }, body) => enable(keyOf(readFields(body, "body", ["key"]))),
  remove: ({ remove }, body) => remove(keyOf(readFields(body, "body", ["key"]))),
  rename: ({ rename }, body) => {
    const fields = readFields(body, "body", ["key", "title"]);
    rename(keyOf(fields), readText(fields["title"], "title"));
  },
  expiry: ({ setExpiry }, body) => {
    const fields = readFields(body, "body", ["key", "at"]);
    setExpiry(keyOf(fields), orNull(fields["at"], "at", readInteger));
  },
  guardrail: ({ setGuardrail }, body) => {
    const fields = readFields(body, "body", ["key", "micros", "reset"]);
    const micros = orNull(fields["micros"], "micros", readInteger);
    setGuardrail(keyOf(fields), micros === null ? null : { micros, reset: readReset(fields) ?? null });
  },
  in_flight: ({ holdInFlight }, body) => {
    const fields = readFields(body, "body", ["key", "reason"]);
    holdInFlight(keyOf(fields), orNull(fields["reason"], "reason", readReason));
  },
  credits: ({ moveCredits }, body) => {
    const fields = readFields(body, "body", ["kind", "micros", "at", "account"]);
    moveCredits({
      kind: readOneOf(fields["kind"], "kind", movementKinds),
      micros: readInteger(fields["micros"], "micros"),
      ...("at" in fields ? { at: readInteger(fields["at"], "at") } : {}),
      ...("account" in fields ? { account: readText(fields["account"], "account") } : {}),
    });
  },
};

/** The dimensions of `by=model,app`; none of an absent parameter. */
export function readDimensions(parameters: URLSearchParams) {
  const names = (parameters.get("by") ?? "").split(",").filter((name) => name !== "");
  return names.map((name) => readOneOf(name, "by", dimensionNames));
}

function readReason(value: unknown, name: string) {
  return readOneOf(value, name, inFlightReasons);
}

function keyOf(fields: Fields): string {
  return readText(fields["key"], "key");
}

function orNull<Value>(
  value: unknown,
  name: string,
  read: (value: unknown, name: string) => Value,
): Value | null {
  return value === null ? null : read(value, name);
}

function readReset(fields: Fields) {
  if (!("reset" in fields)) return undefined;
  return orNull(fields["reset"], "reset", (value, name) => readOneOf(value, name, resets));
}
