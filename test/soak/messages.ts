import { z } from "zod";

/** What one key's books say from an instant on, in the order of `FIGURES`; null: there is no such figure. */
const State = z.object({ key: z.string(), figures: z.array(z.number().nullable()) });

/** What the gateway's process tells of its books. */
export const GatewayMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("listening"), url: z.string() }),
  z.object({ type: z.literal("phase"), name: z.string(), at: z.number() }),
  z.object({
    type: z.literal("books"),
    /** All that happened until this instant has been told. */
    at: z.number(),
    /** Since when the states hold. */
    since: z.number(),
    states: z.array(State),
    /** When a key's question came in that was answered in full. */
    answers: z.array(z.tuple([z.string(), z.number()])),
    /** All that was spent in the UTC day, micro-credits. */
    dayMicros: z.number(),
  }),
]);
export type GatewayMessage = z.infer<typeof GatewayMessage>;
export type BooksMessage = Extract<GatewayMessage, { type: "books" }>;

/** What the scrapers' process tells of its scrapes since the last message. */
export const ScraperMessage = z.object({
  scrapes: z.array(z.object({ kind: z.string(), ms: z.number(), bytes: z.number() })),
  failures: z.array(z.string()),
  /** The exporter's own metric, which begins anew at each scrape; seconds. */
  delays: z.array(z.object({ p99: z.number(), max: z.number() })),
});
export type ScraperMessage = z.infer<typeof ScraperMessage>;

export const GatewayOrder = z.object({
  directory: z.string(),
  keys: z.number(),
  intervalMs: z.number(),
});
export type GatewayOrder = z.infer<typeof GatewayOrder>;

export const ScraperOrder = z.object({ url: z.string(), intervalMs: z.number() });
export type ScraperOrder = z.infer<typeof ScraperOrder>;
