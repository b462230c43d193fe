import type { Endpoint, GatewayClient } from "../gateway/port.ts";
import type { Sample } from "../metrics/family.ts";
import type { Reading } from "../readings/reading.ts";
import type { TargetStatus } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";

/** One unit of polling on a schedule. Its failure affects no other job. */
export interface Job {
  readonly id: TargetId;
  /** For messages: `key "billing"`. */
  readonly title: string;
  /** For the client's messages: `billing`. */
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Number of requests in one run. */
  readonly requests: number;
  /** Minimum time between two good answers; with 0 the job runs at each tick. */
  readonly minIntervalMs: number;
  /** Gateway and secret. If it changes, the readings belong to someone else and are withdrawn at once. */
  readonly identity: string;
  /** Everything else that affects the job. If it changes, the job runs again and keeps its readings. */
  readonly fingerprint: string;
  /**
   * Whether the samples show a part of the secret. When a reload ends that, they are withdrawn at once; budgets keep
   * the reading.
   */
  readonly isRevealing?: boolean;
  /** Samples that need no request, shown as long as the target is configured. */
  readonly constants: readonly Sample[];
  /**
   * Asks the gateway and maps its answer. `askedAtMs` is when the run began. Undefined: the job decided not to send a
   * request.
   * @throws GatewayError
   */
  run(client: GatewayClient, askedAtMs: number): Promise<Result | undefined>;
  /** The outcome of the runs, as samples. */
  describe(state: TargetState): readonly Sample[];
}

/** The result of one run. The engine adds the time of the request and the time to live. */
export interface Result {
  /** What the status page shows of it; a collector that only exports metrics needs none. */
  readonly value?: Reading["value"];
  /** A sample of a calendar window contains the window. */
  readonly samples: readonly Sample[];
  /** When the service computed its answer, if it reports that. */
  readonly computedAtMs?: number | undefined;
  /** How many label values are shown as `_concealed`, because they reveal a secret; 0 if absent. */
  readonly concealedLabels?: number;
  /** The unusable part of the answer, for the log; undefined if there is none. */
  readonly warning?: string | undefined;
}

/** The outcome of a target's runs so far. */
export type TargetState = Pick<TargetStatus, "up" | "unauthorized" | "lastSuccessMs">;
