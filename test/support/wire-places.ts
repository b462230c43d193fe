import { z } from "zod";
import * as keyWire from "../../exporter/gateway/wire/key.ts";
import * as transcriptionWire from "../../exporter/gateway/wire/transcription.ts";
import * as usageWire from "../../exporter/gateway/wire/usage-rows.ts";
import * as errorBody from "../../exporter/gateway/response-body.ts";
import * as hints from "../../exporter/gateway/retry-after.ts";

export type Path = readonly (string | number)[];

/** What this needs of a JSON schema. */
const Node = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});

/** Every place of an answer that the exporter reads, from its schemas, so a new field is a new place. */
export const PLACES = {
  key: placesOf(keyWire.KeyBody),
  usage: [
    ...placesOf(usageWire.UsageBody).filter((path) => path.at(-1) !== 0),
    ...[
      ...placesOf(usageWire.labelColumns({ dimensions: ["model", "app"] })),
      ...placesOf(usageWire.valueColumns({ money: { credits: "total_usage", byok: true }, rates: true })),
    ].map((path): Path => ["data", "data", 0, ...path]),
  ],
  transcription: placesOf(transcriptionWire.TranscriptionBody),
  error: [
    ...placesOf(errorBody.Envelope),
    ...placesOf(errorBody.RefusalBody),
    ...placesOf(hints.BodyHeaders),
    // The schema does not name the headers.
    ...["retry-after", "x-ratelimit-reset"].map((name): Path => ["error", "metadata", "headers", name]),
  ],
} as const;

/** A copy of a JSON value with another value at a place. */
export function withValueAt(value: unknown, path: Path, planted: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return planted;
  if (typeof step === "number") {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return [withValueAt(list[0], rest, planted), ...list.slice(1)];
  }
  const fields: object = typeof value === "object" && value !== null ? value : {};
  return { ...fields, [step]: withValueAt(new Map(Object.entries(fields)).get(step), rest, planted) };
}

function placesOf(schema: z.ZodType): readonly Path[] {
  const places = walk(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return [...new Map(places.map((path) => [JSON.stringify(path), path])).values()];
}

/** The place itself, and everything below it. */
function walk(schema: unknown): readonly Path[] {
  const parsed = Node.safeParse(schema);
  if (!parsed.success) return [[]];
  const { properties = {}, items, anyOf = [] } = parsed.data;
  const below = (step: string | number, child: unknown) => walk(child).map((path): Path => [step, ...path]);
  return [
    [],
    ...Object.entries(properties).flatMap(([name, child]) => below(name, child)),
    ...(items === undefined ? [] : below(0, items)),
    ...anyOf.flatMap(walk),
  ];
}
