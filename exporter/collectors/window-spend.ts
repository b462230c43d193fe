import type { Usage } from "../gateway/port.ts";
import { decimalRest, decimalSum, isSumOf } from "../metrics/decimal-sum.ts";
import type { SpendGap, WindowSpend } from "../readings/reading.ts";
import type { Window } from "../time/window.ts";
import { hasAllRows, knownOf, type Row, rowsOf } from "./breakdown.ts";

/**
 * Credits spent in a window, before the pairs are cut, with everything that the answer shows to be missing. `byPair`:
 * the pairs were requested.
 */
export function windowSpend(window: Window, usage: Usage, byPair: boolean): WindowSpend {
  const { total } = usage;
  const credits = total?.empty ? 0 : total?.amounts.credits;
  const gap = gapOf(usage, credits);
  if (!byPair) return { window, credits, gap };
  const all = rowsOf(usage.pairs);
  const pairs = all.map(({ model, app, amounts }) => ({
    model,
    app,
    // A pair without requests has spent nothing, even if the service sends no amount.
    credits: amounts.credits ?? (amounts.requests === 0 ? 0 : undefined),
  }));
  return { window, credits, gap, breakdown: { pairs, gap: pairsGap(usage, all, credits) } };
}

/** Why the total may be wrong; undefined: nothing shows that. */
function gapOf({ total, creditsSource }: Usage, credits: number | undefined): SpendGap | undefined {
  const mayContainByok = creditsSource === "total" && credits !== 0;
  const reason = total?.gap ?? (mayContainByok ? "byok" : undefined);
  return reason && { reason, credits: undefined };
}

/** What the pairs lack; undefined: nothing, as far as the answer shows. */
function pairsGap(usage: Usage, pairs: readonly Row[], credits: number | undefined): SpendGap | undefined {
  const known = knownOf(pairs, "credits");
  const isSum = credits === undefined || isSumOf(credits, known);
  const missing = isSum ? undefined : decimalRest(credits, known);
  if (usage.truncated) return { reason: "cut", credits: missing };
  if (!hasAllRows(usage)) return { reason: "unreadable", credits: missing };
  if (missing !== undefined && missing > 0) return { reason: "unlisted", credits: missing };
  if (missing !== undefined && !isNewer(usage, pairs)) return { reason: "exceeding", credits: missing };
  if (usage.warnings > 0) return { reason: "warned", credits: undefined };
  return gapOf(usage, credits);
}

/** Whether the pairs contain requests that came after the total, which explains a smaller total. */
function isNewer({ total }: Usage, pairs: readonly Row[]): boolean {
  const requests = total?.amounts.requests;
  return requests === undefined || decimalSum(knownOf(pairs, "requests")) > requests;
}
