import { z } from "zod";

/** The figures of one key from an instant on, in the order of `FIGURES`; null: no such figure. */
const State = z.object({ key: z.string(), figures: z.array(z.number().nullable()) });

/** What the gateway's process reports about its books. */
export const GatewayMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("listening"), url: z.string() }),
  z.object({ type: z.literal("phase"), name: z.string(), at: z.number() }),
  z.object({
    type: z.literal("books"),
    /** Everything until this instant has been reported. */
    at: z.number(),
    /** Since when the states hold. */
    since: z.number(),
    states: z.array(State),
    /** The arrival time of a completely answered request for a key. */
    answers: z.array(z.tuple([z.string(), z.number()])),
    /** The spend of the UTC day, BYOK included, micro-credits. */
    dayMicros: z.number(),
  }),
]);
export type GatewayMessage = z.infer<typeof GatewayMessage>;
export type BooksMessage = Extract<GatewayMessage, { type: "books" }>;

/** What the scrapers' process reports about its scrapes since the last message. */
export const ScraperMessage = z.object({
  scrapes: z.array(z.object({ kind: z.string(), ms: z.number(), bytes: z.number() })),
  failures: z.array(z.string()),
  /** The exporter's own metric, which restarts at each scrape; seconds. */
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
