import { subscribe } from "node:diagnostics_channel";

import type { Clock } from "../../exporter/time/clock.ts";
import { createManualClock } from "../support/clock.ts";

/** A clock that leaps from timer to timer: weeks of an exporter's polls pass as fast as the gateway answers. */
export interface EventClock {
  readonly clock: Clock;
  /** Lets time pass until then. Whatever becomes due is told to `onTime` first, and has its answers before time goes on. */
  runTo(epochMs: number): Promise<void>;
}

export function createEventClock(start: number, onTime: (epochMs: number) => void): EventClock {
  const manual = createManualClock(start);
  const answers = openRequests();
  return {
    // As Date.now() does; timers may be due in between.
    clock: { ...manual, now: () => Math.floor(manual.now()) },
    runTo: async (epochMs) => {
      while (manual.now() < epochMs) {
        const [next = epochMs] = manual.pending();
        const to = Math.min(Math.max(next, manual.now()), epochMs);
        onTime(Math.floor(to));
        // A timer that is due now and starts another one at once must not stop time.
        await manual.advance(Math.max(to - manual.now(), 1));
        await answers.settled();
      }
    },
  };
}

/** What an answer wakes may take a few turns of the event loop to ask again. */
const QUIET_TURNS = 3;

/** The requests of this process that wait for their answer, as undici tells of them. */
function openRequests(): { settled(): Promise<void> } {
  const open = new Set<unknown>();
  subscribe("undici:request:create", (message) => open.add(requestOf(message)));
  for (const end of ["undici:request:trailers", "undici:request:error"]) {
    subscribe(end, (message) => open.delete(requestOf(message)));
  }
  return {
    settled: async () => {
      for (let turns = 0; turns < QUIET_TURNS; turns++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (open.size > 0) turns = -1;
      }
    },
  };
}

function requestOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "request" in message
    ? message.request
    : undefined;
}
