import type { AnalyticsAnswer } from "../gateway/analytics.ts";
import type { Window } from "../time/window.ts";
import { pairsOf } from "./breakdown.ts";
import type { WindowSpend } from "./collector.ts";

/** What the answers to one query tell of credits spent in a window, before the top N is cut. */
export function windowSpend(
  window: Window,
  { grouped, total }: { readonly grouped?: AnalyticsAnswer; readonly total?: AnalyticsAnswer },
): WindowSpend {
  const pairs = pairsOf(grouped?.rows ?? []).map(({ model, app, values }) => ({
    model,
    app,
    credits: values["total_usage"] ?? undefined,
  }));
  const breakdown = grouped && { pairs, complete: !grouped.truncated && grouped.unreadableRows === 0 };
  return { window, credits: total && creditsOf(total), ...(breakdown && { breakdown }) };
}

/** Without a row nothing was spent; a row without a value tells nothing. */
function creditsOf({ rows, unreadableRows, truncated }: AnalyticsAnswer): number | undefined {
  const [row] = rows;
  if (!row) return unreadableRows > 0 || truncated ? undefined : 0;
  return row.values["total_usage"] ?? undefined;
}
