import type { Clock } from "./clock.ts";
import type { Ledger } from "./ledger.ts";
import type { Switches } from "./switches.ts";
import type { Key } from "./entities.ts";
import type { World } from "./world.ts";

export const endpoints = ["key", "analytics"] as const;
export type Endpoint = (typeof endpoints)[number];

/** What an operation can see of the gateway. */
export type Context = {
  readonly clock: Clock;
  readonly world: World;
  readonly ledger: Ledger;
  readonly switches: Switches;
  readonly counters: Counters;
};

/** What the gateway remembers from request to request. */
export type Counters = { readonly callsPerMinute: Map<string, number>; analyticsAnswers: number };

export type Call = { readonly key: Key; readonly body: string; readonly contentType: string | undefined };
