import { HOUR } from "./windows.ts";

/** A number in [0, 1) that depends only on its integer arguments, so that a world can be reproduced. */
export function chance(seed: number, first: number, second: number): number {
  return scramble(scramble(scramble(seed + 0x9e3779b9) + first) + second) / 2 ** 32;
}

/** Picks an item by a number in [0, 1). */
export function pick<Item>(items: readonly Item[], chosen: number): Item {
  const item = items[Math.floor(chosen * items.length)];
  if (item === undefined) throw new Error(`Cannot pick from ${items.length} items with chance ${chosen}`);
  return item;
}

/** The finalizer of MurmurHash3: every bit of the input changes half of the output. */
function scramble(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

export const shapeNames = ["business", "steady", "bursty", "evening", "nightly"] as const;
export type ShapeName = (typeof shapeNames)[number];

/** Traffic at an hour, relative to the average of a week (about 1). */
export function intensity(shape: ShapeName, at: number, seed: number, lane: number): number {
  const hour = Math.floor(at / HOUR);
  if (shape === "steady") return 1;
  // One hour in twelve is busy, the others are nearly silent.
  if (shape === "bursty") return chance(seed + 40, lane, hour) < 1 / 12 ? 11 : 0.1;
  // 1970-01-01 was a Thursday; Monday 00:00 is hour 0 of the week.
  const hourOfWeek = (((hour + 3 * 24) % 168) + 168) % 168;
  return tables[shape][hourOfWeek] ?? 1;
}

const weekly = (rate: (hour: number, isWeekend: boolean) => number): readonly number[] => {
  const rates = Array.from({ length: 168 }, (_, hour) => rate(hour % 24, hour >= 5 * 24));
  const mean = rates.reduce((sum, each) => sum + each, 0) / rates.length;
  return rates.map((each) => each / mean);
};

const tables = {
  business: weekly((hour, isWeekend) => {
    if (isWeekend) return 0.08;
    if (hour < 7 || hour >= 19) return 0.12;
    return hour === 12 ? 0.8 : 1.4;
  }),
  evening: weekly((hour, isWeekend) => (isWeekend ? 1.5 : 1) * (hour >= 17 && hour < 23 ? 2 : 0.5)),
  nightly: weekly((hour) => (hour >= 1 && hour < 4 ? 6 : 0.05)),
};
