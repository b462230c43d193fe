import type { Cause } from "../gateway/causes.ts";
import type { GatewayError } from "../gateway/errors.ts";
import type { Endpoint, GatewayClient, Gateway } from "../gateway/port.ts";
import type { Sample } from "../metrics/family.ts";
import type { Reading } from "../readings/reading.ts";
import type { TargetStatus } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { ScheduleExpression } from "../time/ticker.ts";
import type { ThrottlingLimits } from "./throttling.ts";

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
  /** Whether it begins before the others that are asked at the same time, because they or their users rest on it. */
  readonly comesFirst?: boolean;
  /**
   * Whether the samples show a part of the secret. When a reload ends that, they are withdrawn at once; budgets keep
   * the reading.
   */
  readonly isRevealing?: boolean;
  /**
   * The names of configured targets with their identities. A discovered target with such a name belongs to that target: it is
   * removed when a reload changes the identity.
   */
  readonly reservedNames?: ReadonlyMap<string, string>;
  /** Samples that need no request, shown as long as the target is configured. */
  readonly constants: readonly Sample[];
  /**
   * Asks the gateway and maps its answer. `requestedAtMs` is when the run began. Undefined: the job decided not to send a
   * request.
   * @throws GatewayError
   */
  run(client: GatewayClient, requestedAtMs: number): Promise<Result | undefined>;
  /** The outcome of the runs, as samples. */
  describe(state: TargetState): readonly Sample[];
}

/** A target that an answer contains. It appears and vanishes with the answers of its job. */
export interface DiscoveredTarget {
  readonly id: TargetId;
  /** As it is shown: unique among all targets of its kind. */
  readonly name: string;
  /** The values are shown only while this target has none. */
  readonly behind?: TargetId | undefined;
  readonly value: Reading["value"];
  /** Made when they are stored, because there may be ten thousand. */
  readonly samples: () => readonly Sample[];
  /** Kept as long as the target exists. */
  readonly describe: (state: TargetState) => readonly Sample[];
}

export interface Discovery {
  readonly targets: readonly DiscoveredTarget[];
  /**
   * What a missing target proves. `all`: it is gone. `expired`: it is gone once its values have expired. `nothing`: the
   * answer is partial.
   */
  readonly proves: "all" | "expired" | "nothing";
}

/** The result of one run. The engine adds the time of the request and the time to live. */
export interface Result {
  /** What the status page shows of it; a collector that only exports metrics needs none. */
  readonly value?: Reading["value"];
  /** A sample of a calendar window carries that window. */
  readonly samples: readonly Sample[];
  /** When the service computed its answer, if it reports that. */
  readonly computedAtMs?: number | undefined;
  /** How many label values are shown as `_concealed`, because they reveal a secret; 0 if absent. */
  readonly concealedLabels?: number;
  /**
   * Whether the job asked nothing, because it needs answers of other jobs that are missing, or its time has
   * not come: it shows nothing and runs again soon.
   */
  readonly isEarly?: boolean;
  /** Whether the gateway answered, but not what was asked: it has no such operation, or not for this secret. */
  readonly isUnanswered?: boolean;
  /** The unusable part of the answer, for the log; undefined if there is none. */
  readonly warning?: string | undefined;
  readonly discovered?: Discovery;
  /** Why the rest of the answer is missing: the discovered targets are stored, and the run has failed. */
  readonly failure?: GatewayError | undefined;
}

/** The outcome of a target's runs so far. */
export type TargetState = Pick<TargetStatus, "up" | "unauthorized" | "lastSuccessMs">;

/** Counts and logs the outcomes of a group's jobs. */
export interface Reporter {
  /** A run has ended. `before` is the status before it. */
  ended(job: Job, outcome: RunOutcome, before: TargetStatus): void;
  /** The series limit has no room for the samples of an answer. */
  refused(job: Job, series: number): void;
  /** A run ended without a request, because the gateway asked to wait. */
  paused(job: Job): void;
  /** A tick came while a paid job could not run. */
  missed?(job: Job, why: "running" | "paused"): void;
}

export interface RunOutcome {
  readonly durationMs: number;
  /** Undefined: the run succeeded. */
  readonly failure: GatewayError | undefined;
  readonly cause: Cause | undefined;
  /** The unusable part of the answer. */
  readonly warning: string | undefined;
  /** Label values of the answer that are shown as `_concealed`. */
  readonly concealedLabels: number;
  readonly isUnanswered: boolean;
}

/** The groups of jobs to run, and the gateway to poll. */
export interface Plan {
  readonly gateway: Gateway;
  readonly limits: ThrottlingLimits & { readonly connections: number };
  readonly groups: readonly JobGroup[];
}

/** Jobs of one endpoint that share a schedule and a reporter. */
export interface JobGroup {
  readonly name: string;
  readonly expression: ScheduleExpression;
  readonly jobs: readonly Job[];
  readonly reporter: Reporter;
  /**
   * Whether a run costs credits. Paid jobs run at the ticks of their schedule only: never at the start, after
   * midnight, after a failure or because the configuration has changed. A tick that comes while they run or
   * pause is missed.
   */
  readonly isPaid: boolean;
}
