import { subscribe } from "node:diagnostics_channel";

import { createManualClock, type ManualClock } from "./clock.ts";

/** A manual clock for code that talks over real sockets: time waits until what it woke has its answers. */
export interface SteeredClock {
  readonly clock: ManualClock;
  /** Lets time pass second by second until the clock shows `epochMs`, as fast as answers come. */
  run(epochMs: number): Promise<void>;
  /** Leaps over the time in between, as a suspended process does. */
  jump(epochMs: number): Promise<void>;
}

export function createSteeredClock(start: number): SteeredClock {
  const clock = createManualClock(start);
  const requests = requestsUnderWay();
  return {
    // As Date.now() does; timers may be due in between.
    clock: { ...clock, now: () => Math.floor(clock.now()) },
    run: async (epochMs) => {
      while (clock.now() < epochMs) {
        await clock.advance(Math.min(STEP_MS, epochMs - clock.now()));
        await quiet(requests);
      }
    },
    jump: async (epochMs) => {
      await clock.jump(epochMs);
      await quiet(requests);
    },
  };
}

const STEP_MS = 1000;

/** An answer that never comes is the business of the code under test; time goes on without it. */
const LONGEST_WAIT_MS = 10_000;

/** What an answer wakes may take a few turns of the event loop to ask again. */
const QUIET_TURNS = 5;

async function quiet(requests: Set<unknown>): Promise<void> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (requests.size > 0) turns = 0;
    if (performance.now() > deadline) requests.clear();
  }
}

/** The requests of this process that have no whole answer yet, as undici tells of them. */
function requestsUnderWay(): Set<unknown> {
  const requests = new Set<unknown>();
  subscribe("undici:request:create", (message) => requests.add(requestOf(message)));
  for (const end of ["undici:request:trailers", "undici:request:error"]) {
    subscribe(end, (message) => requests.delete(requestOf(message)));
  }
  return requests;
}

function requestOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "request" in message
    ? message.request
    : undefined;
}
