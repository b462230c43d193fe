import type { Readings } from "../readings/readings.ts";
import type { Clock } from "../time/clock.ts";
import { createKeyHistory, type KeyHistory } from "./key-history.ts";
import { createSpendHours, type SpendHours } from "./spend-hours.ts";

/** What the status pages show of the time since the start. It is recorded in memory only. */
export interface Past {
  readonly history: KeyHistory;
  readonly spendHours: SpendHours;
  start(): void;
  stop(): void;
}

export function createPast(sources: {
  readonly clock: Clock;
  readonly readings: Pick<Readings<unknown>, "ids" | "shown" | "onForget">;
}): Past {
  const [history, spendHours] = [createKeyHistory(sources), createSpendHours(sources)];
  return {
    history,
    spendHours,
    start: () => {
      history.start();
      spendHours.start();
    },
    stop: () => {
      history.stop();
      spendHours.stop();
    },
  };
}
