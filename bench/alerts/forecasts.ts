import { createInterface } from "node:readline";

import { Forecaster, type LimitReading } from "../../exporter/forecast/forecaster.ts";
import { type Bound, firstToEnd } from "../../exporter/forecast/headline.ts";
import { createLayerForecasts } from "../../exporter/forecast/layer-forecasts.ts";
import { OUTLOOKS } from "../../exporter/forecast/outlook.ts";
import type { KeyLayer } from "../../exporter/readings/reading.ts";
import { targetId } from "../../exporter/readings/target-id.ts";
import { type WindowKind, windowAt } from "../../exporter/time/window.ts";

/** One process of the exporter with one key or account: what it was answered, minute by minute. */
interface Life {
  readonly kind: "key" | "account";
  readonly window: WindowKind | "";
  /** The balance below which the account buys credits by itself; 0: it does not. */
  readonly topUp: number;
  /** It is a budget that several keys share. */
  readonly isShared: boolean;
  /** The window of a second limit; undefined: there is none. */
  readonly other?: WindowKind | "";
  /** The gateway's history at the start of the process; undefined: it has none. */
  readonly history?: {
    readonly hours: readonly { startMs: number; credits: number }[];
    readonly untilMs: number;
  };
  /** Rows of numbers, base64: see `COLUMNS`. */
  readonly rows: string;
}

/** The instant of a scrape, then the answer since the last one; its first number is 0 if there was none. */
const COLUMNS = 12;

/**
 * Forecasts lives with the exporter's own code, for the simulator: a line of JSON in, a line of rows out. A row has the index of the
 * outlook, or -1 before the first answer, and the instant of exhaustion, or 0.
 */
for await (const line of createInterface({ input: process.stdin })) {
  const life: Life = JSON.parse(line);
  const forecaster = life.isShared || life.other !== undefined ? ofLayers(life) : new Forecaster(life.kind);
  if (life.history) forecaster.seed(life.history.hours, life.history.untilMs);
  process.stdout.write(`${encode(forecast(forecaster, life))}\n`);
}

function forecast(forecaster: Asked, { window, rows, topUp }: Life): Float64Array {
  const numbers = decode(rows);
  const count = numbers.length / COLUMNS;
  const result = new Float64Array(count * 2);
  for (let row = 0; row < count; row++) {
    const [nowMs = 0, ...answer] = numbers.subarray(row * COLUMNS, (row + 1) * COLUMNS);
    if (answer[0])
      forecaster.read({ ...readingOf(answer, window), ...(topUp > 0 && { topUpBelow: topUp }) }, answer);
    const { outlook, exhaustionMs } = forecaster.at(nowMs) ?? {};
    result[row * 2] = outlook === undefined ? -1 : OUTLOOKS.indexOf(outlook);
    result[row * 2 + 1] = exhaustionMs ?? 0;
  }
  return result;
}

/** What ends first of a key with two limits, or a shared budget. */
function ofLayers({ window, other, isShared }: Life): Asked {
  const forecaster = new Forecaster("key");
  const layers = createLayerForecasts(60_000);
  const key = targetId("key", "layered");
  return {
    // The history of a key does not show what other keys spend of a shared budget.
    seed: (hours, untilMs) => (isShared ? undefined : forecaster.seed(hours, untilMs)),
    read: (reading, [, , limit, left, reset, day, week, month, otherLimit, otherLeft, otherReset]) => {
      const { atMs } = reading;
      const shared = { ...layerOf("workspace", window, atMs, [limit, left, reset]), sharedId: "budget" };
      const second = layerOf("api_key", other ?? "", atMs, [otherLimit, otherLeft, otherReset]);
      if (isShared) return void layers.read([shared], key, atMs);
      forecaster.read(reading);
      layers.read([second], key, atMs, { usage: { day, week, month }, hasByok: false });
    },
    at: (nowMs) => {
      const [said] = layers.at(nowMs);
      const own = isShared ? said?.forecast : forecaster.at(nowMs);
      if (!own || !said) return undefined;
      const bound: Bound = { forecast: own, window: undefined, source: undefined, isShared };
      const ownLayer = { layer: { ...said.layer, source: "key_limit" }, forecast: own };
      return firstToEnd({ own: bound, layers: [ownLayer, said], account: undefined }).forecast;
    },
  };
}

function layerOf(
  source: string,
  kind: WindowKind | "",
  atMs: number,
  [limit = 0, left = 0, reset = 0]: readonly (number | undefined)[],
): KeyLayer {
  return {
    source,
    limitCredits: limit,
    spentCredits: limit - left,
    remainingCredits: left,
    nextResetMs: kind === "" ? undefined : reset,
    window: kind === "" ? undefined : windowAt(kind, atMs),
    includesByok: undefined,
  };
}

/** A forecaster that may read all columns of an answer. */
interface Asked extends Pick<Forecaster, "seed" | "at"> {
  read(reading: LimitReading, answer: readonly number[] | Float64Array): void;
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
