import { DAY_MS } from "../time/window.ts";
import { type Judged, lasts } from "./judged.ts";

/** The windows of the burn rates. */
export const BURN_WINDOWS = ["15m", "1h", "6h", "1d"] as const;
export type BurnWindow = (typeof BURN_WINDOWS)[number];

/** What an instant of exhaustion, or the rest at the reset, rests on: a rate, the habit of earlier days, or the mean of a UTC window. */
export type Basis = BurnWindow | "3d" | "usual" | "window";

/** The rates that can announce an exhaustion, the best evidence first. */
const BASES: Readonly<Record<"imminent" | "predicted" | "slow", readonly Basis[]>> = {
  imminent: ["15m", "1h", "6h", "1d", "window"],
  predicted: ["1h", "usual", "6h", "1d", "15m", "window"],
  slow: ["3d", "1d", "window"],
};

/** When the credits run out, epoch milliseconds: at the first rate that uses them up before the reset, else at the reset. */
export function exhaustionOf(
  judged: Judged,
  level: "imminent" | "predicted" | "slow",
): { readonly exhaustionMs: number; readonly basis: Basis | undefined } {
  const { left, resetMs, nowMs } = judged;
  for (const basis of BASES[level]) {
    const lastsMs = lasts(left, rateOf(judged, basis));
    if (lastsMs < resetMs) return { exhaustionMs: nowMs + lastsMs, basis };
  }
  return { exhaustionMs: nowMs + Math.min(resetMs, DAY_MS), basis: undefined };
}

/**
 * The credits left at the reset: by the habit of earlier days, else at the rate of the longest window that is known. Undefined: none, or
 * unknown.
 */
export function restAtReset(judged: Judged): {
  readonly leftAtReset: number | undefined;
  readonly basis: Basis | undefined;
} {
  const { left, resetMs } = judged;
  const basis = (["usual", "1d", "6h", "window"] as const).find(
    (each) => !Number.isNaN(rateOf(judged, each)),
  );
  if (basis === undefined || resetMs === Infinity) return { leftAtReset: undefined, basis };
  const rest = left - rateOf(judged, basis) * resetMs;
  return { leftAtReset: rest > 0 ? rest : undefined, basis };
}

function rateOf({ restOfDay, rates, resetMs, windowRate }: Judged, basis: Basis): number {
  switch (basis) {
    case "15m":
      return rates.quarter;
    case "1h":
      return rates.hour;
    case "6h":
      return rates.sixHours;
    case "1d":
      return rates.day;
    case "3d":
      return rates.threeDays;
    case "usual":
      return restOfDay / resetMs;
    case "window":
      return windowRate();
  }
}
