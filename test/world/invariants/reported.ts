import { sumOf } from "../books.ts";
import { windowStart } from "../calendar.ts";
import type { Judge, World } from "../world.ts";

/** A report without a problem has what the books have of the running month, in sum and for each model. */
export function createReported(world: World): Judge {
  /** What the books have at a time: of each model, and of all. */
  function booksAt(atMs: number): ReadonlyMap<string, number> {
    const parts = world.books.ofKeys(world.settings().gateway, windowStart("month", atMs), atMs);
    const models = [...Map.groupBy(parts, ({ model }) => model)];
    const sums = models.map(([model, those]) => [model, sumOf(those).micros] as const);
    return new Map([[ALL, sumOf(parts).micros], ...sums]);
  }

  return {
    reported: ({ total, lines, problems }) => {
      if (problems.length > 0) return [];
      const asked = world.questions.at("analytics").filter(({ end }) => end === "good");
      // The total is asked for after the lines.
      const books = asked.slice(-2).flatMap(({ usage }) => (usage ? [booksAt(usage.endMs)] : []));
      const shown = new Map([
        [ALL, total.credits],
        ...lines.map(({ names: [name = ""], credits }) => [name, credits] as const),
      ]);
      const named = new Set([...shown.keys(), ...books.flatMap((each) => [...each.keys()])]);
      return [...named].flatMap((name) => {
        const micros = Math.round((shown.get(name) ?? 0) * 1e6);
        if (books.some((each) => (each.get(name) ?? 0) === micros)) return [];
        return [`the report of the month has ${micros} of ${name}, the books ${books[0]?.get(name)}`];
      });
    },
  };
}

const ALL = "all models";
