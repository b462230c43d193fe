import { windowStart } from "../calendar.ts";
import { ofMicros } from "../decimal.ts";
import type { Question } from "../questions.ts";
import type { Judge, World } from "../world.ts";

/** Probes never spend more than the ceiling of a day, also across clock steps, reloads and restarts. */
export function createProbeSpend(world: World): Judge {
  /** By day, millionths of credits. */
  const spent = new Map<number, number>();
  /** The highest ceiling of a day. */
  const ceilings = new Map<number, number>();

  function charge({ atMs, skewMs, costMicros = 0 }: Question): readonly string[] {
    const { perDay = 0 } = world.settings().probes ?? {};
    const day = windowStart("day", atMs);
    const sum = (spent.get(day) ?? 0) + costMicros;
    const ceiling = Math.max(ceilings.get(day) ?? 0, perDay);
    spent.set(day, sum);
    ceilings.set(day, ceiling);
    // While the clock is wrong, the exporter cannot know which day it is.
    if (Math.abs(skewMs) > 1000 || ofMicros(sum) <= ofMicros(ceiling * 1e6)) return [];
    return [`probes have spent ${sum / 1e6} of ${ceiling}`];
  }

  return { asked: (question) => (question.costMicros === undefined ? [] : charge(question)) };
}
