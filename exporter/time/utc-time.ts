import { z } from "zod";

/**
 * Epoch milliseconds of an ISO 8601 time, or undefined when the text is not one. A time without an offset is UTC, never
 * the machine's own zone, and a date alone is its midnight (observed-behaviour 2, 13).
 */
export function utcMilliseconds(text: string): number | undefined {
  const [, month, day = "-01", minute = "00:00", second = ":00", offset = "Z"] = FORM.exec(text.trim()) ?? [];
  const iso = `${month}${day}T${minute}${second}${offset.toUpperCase().replace(/^(...)(\d\d)$/, "$1:$2")}`;
  return INSTANT.safeParse(iso).success ? Date.parse(iso) : undefined;
}

/** An instant as ISO 8601 in UTC; whole seconds have no fraction: `2026-11-01T00:00:00Z`. */
export function utcText(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** Epoch milliseconds of an epoch that a service wrote in seconds or in milliseconds, which its magnitude shows. */
export function epochMilliseconds(epoch: number): number {
  return epoch >= FIRST_MILLISECOND_EPOCH ? epoch : epoch * 1000;
}

/** Smaller epoch values are seconds, this and larger ones are milliseconds (observed-behaviour 16). */
export const FIRST_MILLISECOND_EPOCH = 100_000_000_000;

/** Unlike JavaScript, which reads February 30 as March 2, it refuses days that do not exist. */
const INSTANT = z.iso.datetime({ offset: true });

/** The forms observed from services: a space instead of the T, and omitted parts. */
const FORM = /^(\d{4}-\d\d)(-\d\d)?(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(?:\s*(Z|[+-]\d\d:?\d\d))?)?$/i;
