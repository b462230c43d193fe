import { endpoints } from "./endpoint.ts";
import type { Fault, FaultEffect } from "./faults.ts";
import {
  type Fields,
  isFields,
  readFields,
  readInteger,
  readList,
  readOneOf,
  readText,
  wrong,
} from "./fields.ts";

const kinds = [
  "slow",
  "status",
  "drip",
  "cut",
  "reset",
  "garbage",
  "body",
  "fields",
  "redirect",
  "oversize",
] as const;

/** Parses a fault from JSON, with the same fields as in TypeScript. */
export function readFault(value: unknown): Fault {
  if (!isFields(value)) throw wrong("body", value, "an object");
  const kind = readOneOf(value["kind"], "kind", kinds);
  const fields = readFields(value, "body", [
    "kind",
    "key",
    "endpoint",
    "parameter",
    "skip",
    "times",
    "delayMs",
    ...fieldsOf[kind],
  ]);
  const fault: Fault = readEffect(kind, fields);
  if ("key" in fields) fault.key = readText(fields["key"], "key");
  if ("endpoint" in fields) fault.endpoint = readOneOf(fields["endpoint"], "endpoint", endpoints);
  if ("parameter" in fields) fault.parameter = readText(fields["parameter"], "parameter");
  if ("skip" in fields) fault.skip = readInteger(fields["skip"], "skip", 0);
  if ("times" in fields) fault.times = readInteger(fields["times"], "times", 1);
  if ("delayMs" in fields) fault.delayMs = readInteger(fields["delayMs"], "delayMs", 0);
  return fault;
}

const fieldsOf: Readonly<Record<FaultEffect["kind"], readonly string[]>> = {
  slow: [],
  status: ["status", "message", "body", "headers", "origin", "retryAfterSeconds", "metadata"],
  drip: ["everyMs", "bytesAtOnce"],
  cut: ["afterBytes"],
  reset: [],
  garbage: ["form"],
  body: ["body", "status", "contentType"],
  fields: ["set", "remove"],
  redirect: ["location", "status"],
  oversize: ["bytes"],
};

function readEffect(kind: FaultEffect["kind"], fields: Fields): FaultEffect {
  switch (kind) {
    case "slow":
      return { kind, delayMs: readInteger(fields["delayMs"], "delayMs", 0) };
    case "status":
      return readStatus(fields);
    case "drip":
      return { kind, ...counts(fields, ["everyMs", "bytesAtOnce"]) };
    case "cut":
      return { kind, ...counts(fields, ["afterBytes"]) };
    case "reset":
      return { kind };
    case "garbage":
      return { kind, form: readOneOf(fields["form"], "form", ["html", "not_json", "half_json", "empty"]) };
    case "body":
      return {
        kind,
        body: readText(fields["body"], "body"),
        ...counts(fields, ["status"]),
        ...texts(fields, ["contentType"]),
      };
    case "fields":
      return readChanges(fields);
    case "redirect":
      return { kind, location: readText(fields["location"], "location"), ...counts(fields, ["status"]) };
    case "oversize":
      return { kind, bytes: readInteger(fields["bytes"], "bytes", 1) };
  }
}

function readStatus(fields: Fields): FaultEffect {
  const { headers, origin, metadata } = fields;
  const effect: FaultEffect & { kind: "status" } = {
    kind: "status",
    status: readInteger(fields["status"], "status", 100),
    ...texts(fields, ["message", "body"]),
    ...counts(fields, ["retryAfterSeconds"]),
  };
  if (isFields(metadata)) effect.metadata = metadata;
  if (origin !== undefined) effect.origin = readOneOf(origin, "origin", ["platform", "provider"]);
  if (isFields(headers)) {
    const names = Object.entries(headers).map(([name, value]) => [name, readText(value, `headers.${name}`)]);
    effect.headers = Object.fromEntries(names);
  }
  return effect;
}

function readChanges(fields: Fields): FaultEffect {
  const { set = {}, remove = [] } = fields;
  if (!isFields(set)) throw wrong("set", set, "an object of paths and values");
  const paths = readList(remove, "remove", 0, Number.POSITIVE_INFINITY).map((path) =>
    readText(path, "remove"),
  );
  return { kind: "fields", set, remove: paths };
}

function counts<const Name extends string>(
  fields: Fields,
  names: readonly Name[],
): { [Each in Name]?: number } {
  const read: { [Each in Name]?: number } = {};
  for (const name of names) if (name in fields) read[name] = readInteger(fields[name], name, 0);
  return read;
}

function texts<const Name extends string>(
  fields: Fields,
  names: readonly Name[],
): { [Each in Name]?: string } {
  const read: { [Each in Name]?: string } = {};
  for (const name of names) if (name in fields) read[name] = readText(fields[name], name);
  return read;
}
