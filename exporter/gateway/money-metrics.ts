import type { Capabilities } from "./account.ts";
import { AMOUNT_METRICS, CREDITS_METRIC, type MoneyMetrics } from "./wire/usage.ts";

/** Decides by which metrics money is requested, from what the service has shown so far. */
export interface MoneyMetricsChoice {
  readonly current: MoneyMetrics;
  /** The names that the service knows; undefined: it does not list them. Refusals before that no longer count. */
  learn(capabilities: Capabilities | undefined): void;
  /** A request with BYOK was answered. */
  accepted(): void;
  /** A request with BYOK was refused, and the same one without it was not. */
  refused(): void;
  /** Whether a refusal may be due to BYOK. */
  readonly isDoubtful: boolean;
}

export function createMoneyMetricsChoice(): MoneyMetricsChoice {
  let current = BOTH;
  let isDoubtful = true;
  return {
    get current() {
      return current;
    },
    get isDoubtful() {
      return isDoubtful && current.byok;
    },
    learn: (capabilities) => {
      isDoubtful = !capabilities;
      current = capabilities ? named(new Set(capabilities.metrics.map(({ name }) => name))) : BOTH;
    },
    accepted: () => {
      isDoubtful = false;
    },
    refused: () => {
      current = { ...current, byok: false };
    },
  };
}

/** The total less BYOK is what was charged to credits, so nothing need be known before the first request. */
const BOTH: MoneyMetrics = { credits: AMOUNT_METRICS.credits, byok: true };

function named(metrics: ReadonlySet<string>): MoneyMetrics {
  return {
    credits: metrics.has(CREDITS_METRIC) ? CREDITS_METRIC : AMOUNT_METRICS.credits,
    byok: metrics.has(AMOUNT_METRICS.byokCredits),
  };
}
