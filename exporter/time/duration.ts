import { DAY_MS } from "./window.ts";

/**
 * Milliseconds of a duration as Prometheus writes it (`10s`, `1m30s`, `500ms`), or undefined when the text is
 * not a duration.
 */
export function parseDuration(text: string): number | undefined {
  const groups = DURATION.exec(text)?.groups;
  if (!groups) return undefined;
  let milliseconds = 0;
  for (const [unit, factor] of UNITS) milliseconds += Number(groups[unit] ?? 0) * factor;
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

/** The shortest text of a duration: `1m30s`. */
export function formatDuration(milliseconds: number): string {
  let rest = milliseconds;
  const parts = UNITS.map(([unit, factor]) => {
    const amount = Math.floor(rest / factor);
    rest -= amount * factor;
    return amount === 0 ? "" : `${amount}${unit}`;
  });
  return parts.join("") || "0s";
}

const SECOND = 1000;

// The order of the units matters, as in Prometheus: 1h30m is a duration, 30m1h is not.
const UNITS: readonly (readonly [string, number])[] = [
  ["y", 365 * DAY_MS],
  ["w", 7 * DAY_MS],
  ["d", DAY_MS],
  ["h", 3600 * SECOND],
  ["m", 60 * SECOND],
  ["s", SECOND],
  ["ms", 1],
];

const DURATION = new RegExp(`^(?=\\d)${UNITS.map(([unit]) => `(?:(?<${unit}>\\d+)${unit})?`).join("")}$`);
