import type { Endpoint, GatewayClient } from "../gateway/port.ts";
import type { Sample } from "../metrics/family.ts";
import type { Reading } from "../readings/reading.ts";
import type { TargetStatus } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";

/** One thing that is asked for by itself, on a schedule: its failure touches no other. */
export interface Job {
  readonly id: TargetId;
  /** For messages: `key "billing"`. */
  readonly title: string;
  /** For the client's messages: `billing`. */
  readonly name: string;
  readonly endpoint: Endpoint;
  /** What one run costs the gateway, requests. */
  readonly requests: number;
  /** Shortest distance between two good answers; 0 asks at each tick. */
  readonly minIntervalMs: number;
  /** Gateway and secret. When it changes, what was learnt belongs to somebody else and is withdrawn at once. */
  readonly identity: string;
  /** Everything else that concerns the job. When it changes, the job asks again and keeps what it has. */
  readonly fingerprint: string;
  /** What is known without asking: shown as long as the target is configured. */
  readonly constants: readonly Sample[];
  /**
   * Asks the gateway and maps its answer. `askedAtMs` is when the run began. Undefined: the job decided not to ask.
   * @throws GatewayError
   */
  run(client: GatewayClient, askedAtMs: number): Promise<Result | undefined>;
  /** What the outcome of the runs says of the target, as samples. */
  describe(state: TargetState): readonly Sample[];
}

/** What one run brought. The engine adds when it was asked for and how long it lives. */
export interface Result extends Pick<Reading, "value"> {
  /** Derived from the value alone. A sample of a calendar window carries it. */
  readonly samples: readonly Sample[];
  readonly spend?: Reading["spend"];
  /** When the service computed its answer, if it says so. */
  readonly computedAtMs?: number | undefined;
  /** What of the answer could not be used, for the log; undefined: nothing. */
  readonly warning?: string | undefined;
}

/** The outcome of a target's runs so far. */
export type TargetState = Pick<TargetStatus, "up" | "unauthorized" | "lastSuccessMs">;
