import { setImmediate as nextTurn } from "node:timers/promises";
import type { Readings } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { windowAt } from "../time/window.ts";

/**
 * What each key had spent and had left in the last day or so. It is kept in memory only, and begins when the
 * exporter starts.
 */
export interface KeyHistory {
  /** The instant of the oldest points; undefined: nothing is recorded yet. */
  readonly sinceMs: number | undefined;
  /** The oldest first, all before `nowMs`. An amount is undefined while it was unknown. */
  of(id: TargetId, nowMs: number): readonly KeyPoint[];
  start(): void;
  stop(): void;
}

/** Credits, with seven digits: enough to draw them. */
export interface KeyPoint {
  readonly atMs: number;
  /** Spent in the UTC day of the point. */
  readonly day: number | undefined;
  readonly left: number | undefined;
}

/** The memory for 10,000 keys is 4 MB. */
const MOST_POINTS = 48;

/**
 * The time between two points. When there is no room for another one, every second point is dropped and the time
 * doubles, up to 32 minutes: 48 points are then 25 hours, and the oldest one makes room.
 */
const FIRST_STEP_MS = 15_000;
const LAST_STEP_MS = 128 * FIRST_STEP_MS;

/** Points that are further apart than this many steps are not neighbours: nothing was recorded between them. */
const MOST_STEPS_APART = 2.5;

/** What a list shows of a polled key. It is not recorded, because the polls of the key are. */
const BEHIND = targetId("behind", "");

/** Keys that are recorded before other work may run: about a millisecond. */
const KEYS_AT_ONCE = 500;

/** The amounts of all keys at an instant: those of a key are at twice its place. NaN: unknown. */
interface Moment {
  readonly atMs: number;
  amounts: Float32Array;
}

export function createKeyHistory({
  clock,
  readings,
  pause = nextTurn,
}: {
  readonly clock: Clock;
  readonly readings: Pick<Readings<unknown>, "ids" | "shown" | "onForget">;
  /** Lets other work run. */
  readonly pause?: () => Promise<unknown>;
}): KeyHistory {
  const places = createPlaces();
  let moments: readonly Moment[] = [];
  let stepMs = FIRST_STEP_MS;
  let isStopped = false;
  let cancel: (() => void) | undefined;

  readings.onForget((id) => {
    const place = places.free(id);
    if (place !== undefined)
      for (const { amounts } of moments) amounts.fill(Number.NaN, 2 * place, 2 * place + 2);
  });

  async function record(): Promise<void> {
    const ids = readings.ids();
    const amounts = new Float32Array(2 * (places.size() + ids.length)).fill(Number.NaN);
    const moment = { atMs: clock.now(), amounts };
    // A key that is forgotten during a pause is erased from it as well.
    add(moment);
    for (const [index, id] of ids.entries()) {
      const shown = id.startsWith(BEHIND) ? undefined : readings.shown(id);
      if (shown?.value?.kind === "key") {
        const { usage, remainingCredits, limitCredits, limitWindow } = shown.value;
        const isLimitShown = limitCredits !== null && (!limitWindow || shown.shows(limitWindow));
        const place = 2 * places.of(id);
        amounts[place] =
          (shown.shows(windowAt("day", shown.askedAtMs)) ? usage.day : undefined) ?? Number.NaN;
        amounts[place + 1] = (isLimitShown ? remainingCredits : undefined) ?? Number.NaN;
      }
      if (index % KEYS_AT_ONCE === KEYS_AT_ONCE - 1) await pause();
    }
    moment.amounts = amounts.slice(0, 2 * places.size());
  }

  function tick(): void {
    if (!isStopped) cancel = clock.after(stepMs, () => void record().then(tick));
  }

  function add(moment: Moment): void {
    // The clock may have been set back.
    const past = moments.filter(({ atMs }) => atMs < moment.atMs);
    moments = [...past, moment];
    if (moments.length <= MOST_POINTS) return;
    if (stepMs === LAST_STEP_MS) moments = moments.slice(1);
    else {
      moments = moments.filter((_moment, index) => index % 2 === 0);
      stepMs *= 2;
    }
  }

  return {
    get sinceMs() {
      return moments[0]?.atMs;
    },
    of: (id, nowMs) => {
      const place = places.known(id);
      if (place === undefined) return [];
      const points: KeyPoint[] = [];
      for (const moment of moments) {
        if (moment.atMs >= nowMs) break;
        const before = points.at(-1)?.atMs ?? moment.atMs;
        if (moment.atMs - before > MOST_STEPS_APART * stepMs)
          points.push({ atMs: before, day: undefined, left: undefined });
        points.push(pointAt(moment, place));
      }
      return points;
    },
    start: tick,
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}

/** The places of keys. Those of forgotten keys are used again. */
function createPlaces() {
  const places = new Map<TargetId, number>();
  const freed: number[] = [];
  return {
    known: (id: TargetId) => places.get(id),
    /** One more than the highest place. */
    size: () => places.size + freed.length,
    of: (id: TargetId): number => {
      const place = places.get(id) ?? freed.pop() ?? places.size;
      places.set(id, place);
      return place;
    },
    free: (id: TargetId): number | undefined => {
      const place = places.get(id);
      if (place !== undefined) freed.push(place);
      places.delete(id);
      return place;
    },
  };
}

function pointAt({ atMs, amounts }: Moment, place: number): KeyPoint {
  const [day, left] = [amounts[2 * place], amounts[2 * place + 1]];
  return { atMs, day: known(day), left: known(left) };
}

function known(amount: number | undefined): number | undefined {
  return amount === undefined || Number.isNaN(amount) ? undefined : amount;
}
