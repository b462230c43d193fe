import { chance } from "../gateway/random.ts";

/** A reproducible source of numbers in [0, 1). */
export function createRandom(seed: number): () => number {
  let count = 0;
  return () => chance(seed, count++, 0);
}

/** The items in another order. */
export function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item): [number, Item] => [random(), item])
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item);
}
