import type { Figures, Ledger } from "./ledger.ts";
import { isExhausted, isUsable } from "./limits.ts";
import type { NewRoute, World } from "./world.ts";

/** One explicit entry. Refunds and discounts are negative; `force` posts an entry that the gateway would refuse. */
export type Spend = NewRoute & Partial<Figures> & { at?: number; force?: boolean };
export type SpendAnswer = { readonly accepted: boolean; readonly status: 200 | 401 | 402 };

/** Posts an entry to the books, unless its key has no credits left (402) or is not usable (401). */
export function createSpend(world: World, ledger: Ledger, now: () => number, advance: () => void) {
  return (spend: Spend): SpendAnswer => {
    advance();
    const { at = now(), force = false, ...rest } = spend;
    const { figures, route } = splitFigures(rest);
    refuseFractions({ ...figures, at });
    const entry = { ...figures, at, route: world.route(route) };
    const { key, model } = entry.route;
    if (!force && !isUsable(key, at)) return { accepted: false, status: 401 };
    if (!force && figures.micros >= 0 && isExhausted(ledger, key, model, at))
      return { accepted: false, status: 402 };
    ledger.post(entry);
    return { accepted: true, status: 200 };
  };
}

function splitFigures(spend: NewRoute & Partial<Figures>): { figures: Figures; route: NewRoute } {
  const { micros = 0, byokMicros = 0, requests = 1, promptTokens = 0, completionTokens = 0, ...rest } = spend;
  const { reasoningTokens = 0, cachedTokens = 0, latencyMs = 0, ...route } = rest;
  const tokens = { promptTokens, completionTokens, reasoningTokens, cachedTokens };
  return { figures: { micros, byokMicros, requests, ...tokens, latencyMs }, route };
}

function refuseFractions(figures: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(figures)) {
    if (!Number.isSafeInteger(value))
      throw new Error(`Cannot spend: "${name}" is ${value}, expected an integer`);
  }
}
