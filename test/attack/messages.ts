import { z } from "zod";

/** What the programs of an attack report to the process that judges. */
export const ProgramMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("listening"), address: z.string() }),
  /** An attack struck; what came of it, with counts. */
  z.object({
    type: z.literal("strikes"),
    lane: z.string(),
    kind: z.string(),
    seen: z.record(z.string(), z.number()),
  }),
  /** The exporter gave away something. */
  z.object({ type: z.literal("breach"), text: z.string() }),
  /** A probe has no answer yet. */
  z.object({ type: z.literal("overdue"), path: z.string(), atMs: z.number(), ms: z.number() }),
  z.object({
    type: z.literal("probe"),
    path: z.string(),
    atMs: z.number(),
    /** Until the last byte, without the time in which the watcher or the exporter waited for a processor. */
    ms: z.number(),
    /** With that time. */
    wallMs: z.number(),
    /** How long the watcher and the exporter have waited for a processor so far. */
    starvedMs: z.number(),
    /** 200, another status with its text, or why there is no answer. */
    end: z.string(),
    /** Now and then. */
    body: z.string().optional(),
  }),
]);
export type ProgramMessage = z.infer<typeof ProgramMessage>;

/** What a program is ordered to do. */
export const ProgramOrder = z.discriminatedUnion("type", [
  /** Without a kind, the lane is quiet. */
  z.object({ type: z.literal("attack"), lane: z.string(), kind: z.string().optional() }),
  z.object({ type: z.literal("target"), url: z.string(), pid: z.number() }),
]);
export type ProgramOrder = z.infer<typeof ProgramOrder>;

export const ProgramSettings = z.object({ seed: z.number() });

/** Sends to the process that judges. */
export function report(message: ProgramMessage): void {
  process.send?.(message);
}

/** Takes orders, and ends with the process that judges. */
export function takeOrders(take: (order: ProgramOrder) => void): void {
  process.on("message", (order) => take(ProgramOrder.parse(order)));
  process.on("disconnect", () => process.exit(0));
}

/** The seed that a program was started with. */
export function seedOfProgram(): number {
  return ProgramSettings.parse(JSON.parse(process.argv[2] ?? "{}")).seed;
}
