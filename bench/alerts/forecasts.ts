import { createInterface } from "node:readline";

import { createForecaster, type Forecaster, type LimitReading } from "../../exporter/forecast/forecaster.ts";
import { OUTLOOKS } from "../../exporter/forecast/outlook.ts";
import type { WindowKind } from "../../exporter/time/window.ts";

/** One process of the exporter with one key or account: what it was answered, minute by minute. */
interface Life {
  readonly kind: "key" | "account";
  readonly window: WindowKind | "";
  /** The gateway's history at the start of the process; undefined: it has none. */
  readonly history?: {
    readonly hours: readonly { startMs: number; credits: number }[];
    readonly untilMs: number;
  };
  /** Rows of numbers, base64: see `COLUMNS`. */
  readonly rows: string;
}

/** The instant of a scrape, then the answer since the last one; its first number is 0 if there was none. */
const COLUMNS = 9;

/**
 * Forecasts lives with the exporter's own code, for the simulator: a line of JSON in, a line of rows out. A row has the index of the
 * outlook, or -1 before the first answer, and the instant of exhaustion, or 0.
 */
for await (const line of createInterface({ input: process.stdin })) {
  const life: Life = JSON.parse(line);
  const forecaster = createForecaster(life.kind);
  if (life.history) forecaster.seed(life.history.hours, life.history.untilMs);
  process.stdout.write(`${encode(forecast(forecaster, life))}\n`);
}

function forecast(forecaster: Forecaster, { window, rows }: Life): Float64Array {
  const numbers = decode(rows);
  const count = numbers.length / COLUMNS;
  const result = new Float64Array(count * 2);
  for (let row = 0; row < count; row++) {
    const [nowMs = 0, ...answer] = numbers.subarray(row * COLUMNS, (row + 1) * COLUMNS);
    if (answer[0]) forecaster.read(readingOf(answer, window));
    const { outlook, exhaustionMs } = forecaster.at(nowMs) ?? {};
    result[row * 2] = outlook === undefined ? -1 : OUTLOOKS.indexOf(outlook);
    result[row * 2 + 1] = exhaustionMs ?? 0;
  }
  return result;
}

function readingOf(answer: readonly number[], window: WindowKind | ""): LimitReading {
  const [atMs = 0, used, limit = 0, left, reset = 0, day, week, month] = answer;
  return {
    atMs,
    usedCredits: used,
    limitCredits: limit < 0 ? null : limit,
    remainingCredits: limit < 0 ? undefined : left,
    nextResetMs: reset === 0 ? "never" : reset,
    window: window === "" ? undefined : window,
    usedToday: day,
    usedThisWeek: week,
    usedThisMonth: month,
  };
}

function decode(text: string): Float64Array {
  const bytes = Buffer.from(text, "base64");
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function encode(numbers: Float64Array): string {
  return Buffer.from(numbers.buffer).toString("base64");
}
