import { windowStart } from "../calendar.ts";
import type { Question } from "../questions.ts";
import type { Judge, World } from "../world.ts";

/** Probes never spend more than the ceiling of a day, also across clock steps, reloads and restarts. */
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
    const spent = spentOn(day);
    // While the clock is wrong, the exporter cannot know which day it is.
    if (Math.abs(question.skewMs) > 1000 || spent <= ceiling * 1e6) return [];
    return [`probes have spent ${spent / 1e6} of ${ceiling}`];
  }

  /** Millionths of credits. Nobody can know after a restart what keys have spent that pay no more. */
  function spentOn(day: number): number {
    const { gateway, keys, probes } = world.settings();
    const paying = keys.filter(({ name }) => probes?.payers.includes(name));
    const accounts = new Set(paying.map(({ file }) => world.files.tokens(file).at(-1)?.account));
    const counted = charges.filter(
      (one) => one.gateway === gateway && accounts.has(one.account) && windowStart("day", one.atMs) === day,
    );
    return counted.reduce((sum, { costMicros = 0 }) => sum + costMicros, 0);
  }

  return { asked: (question) => (question.costMicros === undefined ? [] : charge(question)) };
}
