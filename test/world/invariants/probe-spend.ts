import { windowStart } from "../calendar.ts";
import type { Question } from "../questions.ts";
import type { Judge, World } from "../world.ts";

/**
 * Probes never spend more than the ceiling of a day since the start of the exporter and the last step of its clock. What
 * was spent before, the exporter only knows from the gateway, which reports it late.
 */
export function createProbeSpend(world: World): Judge {
  const charges: Question[] = [];
  /** The highest ceiling of a day. */
  const ceilings = new Map<number, number>();

  function charge(question: Question): readonly string[] {
    charges.push(question);
    const { perDay = 0 } = world.settings().probes ?? {};
    const day = windowStart("day", question.atMs);
    const ceiling = Math.max(ceilings.get(day) ?? 0, perDay);
    ceilings.set(day, ceiling);
    const since = Math.max(world.startedAt(), world.disturbedAt());
    const counted = charges.filter(({ at, atMs }) => at >= since && windowStart("day", atMs) === day);
    const spent = counted.filter(isWithinDay).reduce((sum, { costMicros = 0 }) => sum + costMicros, 0);
    // While the clock is wrong, the exporter cannot know which day it is.
    if (Math.abs(question.skewMs) > SKEW_MS || spent <= ceiling * 1e6) return [];
    return [`probes have spent ${spent / 1e6} of ${ceiling}`];
  }

  return { asked: (question) => (question.costMicros === undefined ? [] : charge(question)) };
}

/** The clocks may differ by this much, so a run this close to midnight may count on either day. */
const SKEW_MS = 1000;

function isWithinDay({ atMs }: Question): boolean {
  return [-SKEW_MS, SKEW_MS].every((ms) => windowStart("day", atMs + ms) === windowStart("day", atMs));
}
