import { type Budget, budgetScopes, type Key } from "../entities.ts";
import type { Reset } from "../windows.ts";
import type { World } from "../world.ts";

export type KeyChanges = ReturnType<typeof createKeyChanges>;

/** The life of a key after its creation. `key` is its name in the simulation, which never changes. */
export function createKeyChanges(world: World, now: () => number) {
  const change = (name: string, apply: (key: Key) => void): void => {
    const key = world.key(name);
    if (key.deletedAt !== null) throw new Error(`Cannot change key "${name}": it is deleted`);
    apply(key);
    key.updatedAt = now();
  };
  return {
    setLimit: (key: string, micros: number | null, reset?: Reset | null): void =>
      change(key, (found) => {
        found.limitMicros = micros;
        if (reset !== undefined) found.limitReset = reset;
      }),
    disable: (key: string): void => change(key, (found) => void (found.disabled = true)),
    enable: (key: string): void => change(key, (found) => void (found.disabled = false)),
    /** Another name on the gateway; the rows of analytics show it for the past as well. */
    rename: (key: string, title: string): void => change(key, (found) => void (found.title = title)),
    /** A deleted key is refused, not listed, and its hash is unknown. Its spend remains. */
    remove: (key: string): void => change(key, (found) => void (found.deletedAt = now())),
    /** A budget over keys; another one of the same scope and id is replaced. */
    setBudget: ({ keys, scope, id = scope, micros, reset = null, includeByok = false }: NewBudget): void => {
      const budget = { scope, id, micros, reset, includeByok, keys: keys.map((name) => world.key(name)) };
      for (const name of keys)
        change(name, (found) => void (found.budgets = withBudget(found.budgets, budget)));
    },
  };
}

export type NewBudget = Pick<Budget, "scope" | "micros"> &
  Partial<Pick<Budget, "id" | "reset" | "includeByok">> & { readonly keys: readonly string[] };

function withBudget(budgets: readonly Budget[], budget: Budget): readonly Budget[] {
  const others = budgets.filter(({ scope, id }) => scope !== budget.scope || id !== budget.id);
  return [...others, budget].toSorted((one, other) => placeOf(one) - placeOf(other));
}

function placeOf({ scope }: Budget): number {
  return budgetScopes.indexOf(scope);
}
