/** The calendar of the gateway, written from the contract alone. All times are epoch milliseconds, UTC. */
export const DAY_MS = 86_400_000;

export type WindowName = "day" | "week" | "month";

export function windowStart(window: WindowName, atMs: number): number {
  const day = Math.floor(atMs / DAY_MS);
  switch (window) {
    case "day":
      return day * DAY_MS;
    case "week":
      // 1970-01-01 was a Thursday, and weeks begin on Monday.
      return (day - ((day + 3) % 7)) * DAY_MS;
    case "month": {
      const at = new Date(atMs);
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
    }
  }
}

/** The start of the window before the running one. */
export function formerStart(window: WindowName, atMs: number): number {
  return windowStart(window, windowStart(window, atMs) - 1);
}

export function windowEnd(window: WindowName, atMs: number): number {
  const start = windowStart(window, atMs);
  if (window !== "month") return start + (window === "day" ? 1 : 7) * DAY_MS;
  const at = new Date(start);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
}

/** What the stories of a run contained. */
export interface Coverage {
  count(what: string, times?: number): void;
  readonly counts: ReadonlyMap<string, number>;
}

export function createCoverage(): Coverage {
  const counts = new Map<string, number>();
  return { count: (what, times = 1) => void counts.set(what, (counts.get(what) ?? 0) + times), counts };
}

/** Decimals are added as integers of this many digits after the point, so that sums are exact. */
const DIGITS = 20;

const MICRO = 10n ** BigInt(DIGITS - 6);
const ONE = 10n ** BigInt(DIGITS);

/** A written decimal (`12.5`, `1.5e-7`) as an integer in units of 1e-20. */
export function decimal(text: string): bigint {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = FORM.exec(text) ?? [];
  if (whole === "") throw new Error(`Cannot read ${JSON.stringify(text)} as a decimal`);
  const shift = DIGITS + Number(exponent) - fraction.length;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
}

const FORM = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Millionths of credits in the same units. */
export function ofMicros(micros: number): bigint {
  return BigInt(micros) * MICRO;
}

export function ofCount(count: number): bigint {
  return BigInt(count) * ONE;
}
