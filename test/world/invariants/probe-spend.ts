import { windowStart } from "../calendar.ts";
import type { Question } from "../questions.ts";
import type { Judge, World } from "../world.ts";

/** Probes never spend more than the ceiling of a day, also across clock steps, reloads and restarts. */
export function createProbeSpend(world: World): Judge {
  const charges: Question[] = [];
  /** The accounts that the present exporter has charged, and when it started. */
  let charged = { startedAt: 0, accounts: new Set<number | undefined>() };
  /** The highest ceiling of a day. */
  const ceilings = new Map<number, number>();

  function charge(question: Question): readonly string[] {
    charges.push(question);
    if (charged.startedAt !== world.startedAt())
      charged = { startedAt: world.startedAt(), accounts: new Set() };
    charged.accounts.add(question.account);
    const { perDay = 0 } = world.settings().probes ?? {};
    const day = windowStart("day", question.atMs);
    const ceiling = Math.max(ceilings.get(day) ?? 0, perDay);
    ceilings.set(day, ceiling);
    const spent = spentOn(day);
    // While the clock is wrong, the exporter cannot know which day it is.
    if (Math.abs(question.skewMs) > 1000 || spent <= ceiling * 1e6) return [];
    return [`probes have spent ${spent / 1e6} of ${ceiling}`];
  }

  /**
   * Millionths of credits. After a restart nobody can know what was charged before to keys that do not pay any more, or
   * at another gateway.
   */
  function spentOn(day: number): number {
    const { gateway, keys, probes } = world.settings();
    const paying = keys.filter(({ name }) => probes?.payers.includes(name));
    const accounts = new Set(paying.map(({ file }) => world.files.tokens(file).at(-1)?.account));
    const isKnown = ({ at, account, gateway: charging }: Question) =>
      at >= world.startedAt() ||
      (charging === gateway && (accounts.has(account) || charged.accounts.has(account)));
    const counted = charges.filter((one) => isKnown(one) && windowStart("day", one.atMs) === day);
    return counted.reduce((sum, { costMicros = 0 }) => sum + costMicros, 0);
  }

  return { asked: (question) => (question.costMicros === undefined ? [] : charge(question)) };
}
