import type { BudgetConfig } from "../config/config.ts";
import { utcText } from "../time/utc-time.ts";
import { windowOf } from "../time/window.ts";

/** A warning if a budget counts nothing yet, because its `since` is in the future; undefined: it has begun. */
export function beginsLater({ name, period }: BudgetConfig, nowMs: number): string | undefined {
  const { startMs } = windowOf(period, nowMs);
  if (startMs <= nowMs) return undefined;
  return `Budget "${name}" counts nothing until ${utcText(startMs)}, because its since is in the future`;
}
