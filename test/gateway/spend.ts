import type { Figures, Ledger } from "./ledger.ts";
import { isUsable, shortageOf } from "./limits.ts";
import type { NewRoute, World } from "./world.ts";

/** One explicit entry. Refunds and discounts are negative; `force` posts an entry that the gateway would refuse. */
export type Spend = NewRoute & Partial<Figures> & { at?: number; force?: boolean };
export type SpendAnswer = { readonly accepted: boolean; readonly status: 200 | 401 | 402 | 403 };

/** Posts an entry to the books, unless its key has no credits left (402), is beyond a budget (403) or not usable (401). */
export function createSpend(world: World, ledger: Ledger, now: () => number, advance: () => void) {
  return (spend: Spend): SpendAnswer => {
    advance();
    const { at = now(), force = false, ...rest } = spend;
    const { figures, route } = splitFigures(rest);
    refuseFractions({ ...figures, at });
    const entry = { ...figures, at, route: world.route(route) };
    const { key, model } = entry.route;
    if (!force && !isUsable(key, at)) return { accepted: false, status: 401 };
    const shortage = force || figures.micros < 0 ? null : shortageOf(ledger, key, model, at);
    if (shortage !== null) return { accepted: false, status: shortage === "budget" ? 403 : 402 };
    ledger.post(entry);
    return { accepted: true, status: 200 };
  };
}

function splitFigures(spend: NewRoute & Partial<Figures>): { figures: Figures; route: NewRoute } {
  const { micros = 0, byokMicros = 0, requests = 1, byokRequests, ...more } = spend;
  const { byokFeeMicros = 0, cacheMicros = 0, dataMicros = 0, promptTokens = 0, ...others } = more;
  const { completionTokens = 0, reasoningTokens = 0, cachedTokens = 0, latencyMs = 0, ...route } = others;
  const tokens = { promptTokens, completionTokens, reasoningTokens, cachedTokens };
  const money = { micros, byokMicros, byokFeeMicros, cacheMicros, dataMicros };
  const counts = { requests, byokRequests: byokRequests ?? (byokMicros === 0 ? 0 : requests) };
  return { figures: { ...money, ...counts, ...tokens, latencyMs }, route };
}

function refuseFractions(figures: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(figures)) {
    if (!Number.isSafeInteger(value))
      throw new Error(`Cannot spend: "${name}" is ${value}, expected an integer`);
  }
}
