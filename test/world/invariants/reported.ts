import { sumOf } from "../books.ts";
import type { Question } from "../questions.ts";
import type { Judge, World } from "../world.ts";

/**
 * A report without a problem has what the books have of the running month, in sum and for each model, and the cost at
 * the prices of its time.
 */
export function createReported(world: World): Judge {
  /** What the books had for an answer: of each model, and of all. */
  function booksOf({ ledger, usage }: Question, monthMs: number): readonly ReadonlyMap<string, number>[] {
    if (!usage) return [];
    const parts = world.books.ofKeys(ledger, monthMs, Math.max(monthMs, usage.endMs));
    const models = [...Map.groupBy(parts, ({ model }) => model)];
    const sums = models.map(([model, those]) => [model, sumOf(those).micros] as const);
    return [new Map([[ALL, sumOf(parts).micros], ...sums])];
  }

  /** What the month costs at its prices, in millionths; undefined: there is no price. */
  function costOf({ ledger, usage }: Question, monthMs: number): number | undefined {
    const { formerPrice } = world.settings();
    if (!formerPrice || !usage) return undefined;
    const { value, until } = formerPrice;
    const toMs = Math.max(monthMs, usage.endMs);
    const turnMs = Math.min(toMs, Math.max(monthMs, Date.parse(until)));
    const [before, after] = [
      world.books.ofKeys(ledger, monthMs, turnMs),
      world.books.ofKeys(ledger, turnMs, toMs),
    ];
    return value * sumOf(before).micros + 2 * value * sumOf(after).micros;
  }

  return {
    reported: ({ total, lines, problems, period }) => {
      const { startMs } = period.window;
      if (problems.length > 0) return [];
      const answered = world.questions.at("analytics").filter(({ end, usage }) => end === "good" && usage);
      // The total is asked for after the lines.
      const books = answered.slice(-2).flatMap((one) => booksOf(one, startMs));
      const shown = new Map([
        [ALL, total.credits],
        ...lines.map(({ names: [name = ""], credits }) => [name, credits] as const),
      ]);
      const named = new Set([...shown.keys(), ...books.flatMap((each) => [...each.keys()])]);
      const wrong = [...named].flatMap((name) => {
        const micros = Math.round((shown.get(name) ?? 0) * 1e6);
        if (books.some((each) => (each.get(name) ?? 0) === micros)) return [];
        return [`the report of the month has ${micros} of ${name}, the books ${books[0]?.get(name)}`];
      });
      const costs = answered.slice(-2).map((one) => costOf(one, startMs));
      const isCost = costs.some((cost = Number.NaN) => Math.abs((total.cost ?? 0) * 1e6 - cost) < 1);
      const isPriced = world.settings().formerPrice !== undefined;
      return isPriced && !isCost
        ? [...wrong, `the month costs ${total.cost}, by the books ${costs[0]}`]
        : wrong;
    },
  };
}

const ALL = "all models";
