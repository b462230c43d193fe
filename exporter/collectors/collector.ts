import type { Config } from "../config/config.ts";
import type { Endpoint } from "../gateway/http.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Family, Sample } from "../metrics/family.ts";
import type { Window } from "../time/window.ts";

/**
 * The contract of a collector: what it asks for and how answers become samples. Timing, pace, errors, time to live,
 * windows and self-metrics are the business of whoever runs it (`schedule/`).
 */
export interface Collector {
  /** The label `collector`. */
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Which schedule of the configuration it follows. */
  readonly schedule: keyof Config["schedule"];
  /** What one poll of a target costs the gateway. */
  readonly requestsPerPoll: number;
  /** All that it may show, in the order of the exposition. */
  readonly families: readonly Family[];
  /** The family that tells when a target last answered; named in the HELP of the others. */
  readonly lastSuccess: Family;
  /** What is polled: one target for each key, or query. */
  targets(config: Config): readonly Target[];
}

/** One thing that is polled by itself: its failure touches no other. */
export interface Target {
  /** Unique over all collectors: `key/billing`, `analytics/day`. */
  readonly id: string;
  /** For messages: `key "billing"`. */
  readonly title: string;
  /** Shortest distance between two good answers; 0 asks at each round. */
  readonly minIntervalMs: number;
  /** Differs from that of the target of another configuration when something that concerns it was changed. */
  readonly fingerprint: string;
  /** What is known without asking: shown as long as the target is configured. */
  readonly constants: readonly Sample[];
  /**
   * Asks the gateway and maps its answer. `askedAtMs` is when the poll began: it decides to which windows values belong.
   * @throws GatewayError
   */
  poll(gateway: Gateway, askedAtMs: number, signal: AbortSignal): Promise<Reading>;
  /** What the outcome of the polls says of the target. */
  describe(state: TargetState): readonly Sample[];
}

/** What one poll brought. */
export interface Reading {
  readonly samples: readonly Sample[];
  /** What it tells of credits spent, for budgets. */
  readonly spend?: readonly WindowSpend[];
  /** What of the answer could not be used, for the log; undefined: nothing. */
  readonly doubt?: string | undefined;
}

/** Credits spent in a window until the answer was asked for, before anything is cut or folded. */
export interface WindowSpend {
  readonly window: Window;
  /** In all; undefined: the answer does not tell. */
  readonly credits: number | undefined;
  /** By model and app, if that was asked for. */
  readonly breakdown?: {
    readonly pairs: readonly PairSpend[];
    /** Whether these are all pairs that there are. */
    readonly complete: boolean;
  };
}

/** The labels are as `/metrics` shows them; credits are undefined where the service has no value. */
export interface PairSpend {
  readonly model: string;
  readonly app: string;
  readonly credits: number | undefined;
}

/** What the last good answer told of credits spent. It outlives the time to live of the values. */
export interface Statement {
  readonly askedAtMs: number;
  readonly timeToLiveMs: number;
  readonly spend: readonly WindowSpend[];
}

export interface TargetState {
  /** Whether the last poll succeeded; undefined before the first. */
  readonly up: boolean | undefined;
  /** Whether the service refuses the credential (401); only a success or a 401 changes it. */
  readonly unauthorized: boolean | undefined;
  readonly lastSuccessMs: number | undefined;
}
