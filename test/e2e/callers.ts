import { setTimeout as delay } from "node:timers/promises";

import { type FastTime, shownAt } from "../support/fast-time.ts";
import type { GatewayProcess } from "../support/gateway-process.ts";

/** What a key's callers spend between two times, at an even rate. */
export interface Spending {
  readonly key: string;
  readonly creditsPerHour: number;
  /** Epoch milliseconds, as the gateway's clock shows them. */
  readonly from: number;
  readonly to: number;
}

export interface Callers {
  /** When the gateway first refused a key because nothing was left, epoch milliseconds of its clock. */
  readonly refusedAt: ReadonlyMap<string, number>;
  /** Rejects if a call failed. */
  stop(): Promise<void>;
}

/** Calls the gateway until stopped. However late a call is, it spends the amount for the time since the last one. */
export function startCallers(
  gateway: GatewayProcess,
  time: FastTime,
  spendings: readonly Spending[],
): Callers {
  const refusedAt = new Map<string, number>();
  const aborter = new AbortController();
  const running = call().catch((error: unknown) => {
    if (!aborter.signal.aborted) throw error;
  });

  async function call(): Promise<void> {
    for (let last = shownAt(time, Date.now()); ;) {
      await delay(PAUSE_MS, undefined, { signal: aborter.signal });
      const now = shownAt(time, Date.now());
      for (const { key, creditsPerHour, from, to } of spendings) {
        const spentMs = Math.min(now, to) - Math.max(last, from);
        if (spentMs <= 0) continue;
        const micros = Math.round((creditsPerHour * 1e6 * spentMs) / 3_600_000);
        const status = await gateway.spend({ key, model: "acme/one", micros });
        if (status === 402 && !refusedAt.has(key)) refusedAt.set(key, now);
      }
      last = now;
    }
  }

  return {
    refusedAt,
    stop: async () => {
      aborter.abort();
      await running;
    },
  };
}

const PAUSE_MS = 100;
