import type { GatewayConfig, QueryClassifier } from "../config/config.ts";
import type { SecretSource } from "../secrets/secret.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountCredits, AccountKeys, Capabilities, KeyInformation } from "./account.ts";
import type { Granularity, Window } from "../time/window.ts";

/** The operations of the contract; the label `endpoint`. Each has its own request limit. */
export const ENDPOINTS = ["key", "analytics", "account", "transcription"] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** The gateway, in the words of the domain. The adapter hides wire names, row caps and the number of requests. */
export interface Gateway {
  /** A client for one run of one job. Every request that it sends uses a permit of the caller. */
  clientFor(caller: Caller): GatewayClient;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** The adapter of a gateway. */
export interface GatewayAdapter extends Gateway {
  /** With other settings. What this one has learnt of the service is kept, unless the address is another one. */
  reconfigured(config: GatewayConfig): GatewayAdapter;
}

/** Makes the adapter of a gateway. */
export type CreateGateway = (config: GatewayConfig, dependencies: GatewayDependencies) => GatewayAdapter;

/** The dependencies of an adapter. */
export interface GatewayDependencies {
  readonly clock: Clock;
  /** In [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** The exporter's version, for the user agent. */
  readonly version: string;
  /**
   * Called for each request that was sent: the status, or `none` if no complete answer arrived, and the gateway's time
   * (epoch milliseconds; NaN or undefined if unknown).
   */
  readonly onAnswer: (endpoint: Endpoint, code: string, dateMs?: number) => void;
}

/** The caller that a client acts for. */
export interface Caller {
  readonly endpoint: Endpoint;
  /** The target of the run; absent outside the engine. */
  readonly id?: string;
  /** Name for messages: the key `billing`, the query `day`, the probe `hello`. */
  readonly name: string;
  readonly permits: Permits;
  readonly signal: AbortSignal;
}

/** The permits of one run: the first one is available at once, and each further one requires a wait. */
export interface Permits {
  /**
   * A further request takes precedence over new runs; a retry waits in line with them. @throws the signal's reason if
   * it is aborted; PausedError if the endpoint or the target must rest.
   */
  next(signal: AbortSignal, purpose: PermitPurpose): Promise<Permit>;
}

export type PermitPurpose = "request" | "retry";

/** Permission to send one request now. The holder must release it, with how the request ended. */
export interface Permit {
  release(outcome: RequestOutcome): void;
}
/** Milliseconds. Requests that were held up, and then come all at once, must not cause a burst. */
export const PERMIT_LASTS_MS = 100;

export interface RequestOutcome {
  /** Whether the gateway answered, with any status; false if the request was not sent, failed or was aborted. */
  readonly answered?: boolean;
  /** Whether the gateway answered 429. */
  readonly throttled: boolean;
  /** How long the gateway asked to wait, milliseconds from now. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The operations. Those about the account need a management key. Each throws GatewayError, or the signal's reason if the run
 * is aborted.
 */
export interface GatewayClient {
  currentKey(secret: SecretSource): Promise<KeyInformation>;
  usage(question: UsageQuestion, secret: SecretSource): Promise<Usage>;
  /** One request. */
  usageSeries(question: SeriesQuestion, secret: SecretSource): Promise<UsageSeries>;
  /** The names that usage may be asked by; undefined: the service has no such operation. */
  capabilities(secret: SecretSource): Promise<Capabilities | undefined>;
  /** The keys of a workspace, of the default one if undefined, or of all of them (`all`). */
  accountKeys(workspace: string | undefined, secret: SecretSource): Promise<AccountKeys>;
  /**
   * `unproved`: the secret is not a management key, so an answer would mean nothing. `unsupported`: the service has no
   * such operation.
   */
  credits(secret: SecretSource): Promise<AccountCredits | "unproved" | "unsupported">;
  /** Costs credits, so it is sent once and never retried. @throws RangeError when the request breaks the contract's bounds. */
  transcribe(request: TranscriptionRequest, secret: SecretSource, timeoutMs: number): Promise<Transcription>;
}

/** A query for the account's usage. */
export interface UsageQuestion {
  readonly range: Window;
  /** Whether to request pairs of model and app. */
  readonly pairs: boolean;
  /** Whether to request the sum over everything. */
  readonly total: boolean;
  /** Whether the pairs carry rates as well. */
  readonly rates: boolean;
  /** One or two dimensions instead of model and app, as the service names them, those of the classifier last. */
  readonly dimensions?: readonly string[];
  readonly classifier?: QueryClassifier | undefined;
  readonly filters?: readonly UsageFilter[];
}

/** A query for the account's usage by hour or by day. Without dimensions, each hour or day has one row. */
export interface SeriesQuestion extends Required<Pick<UsageQuestion, "range" | "dimensions">> {
  readonly granularity: Granularity;
  readonly filters?: readonly UsageFilter[];
  /** Rows without tokens are half as large. */
  readonly withoutTokens?: true;
}

/** Limits a query to some values of a dimension, or excludes them. The values are identifiers of the service. */
export interface UsageFilter {
  readonly dimension: string;
  readonly operator: "in" | "not_in";
  readonly values: readonly (string | number)[];
  /** Whether usage without a value is part of the answer. */
  readonly withUnset: boolean;
}

/** Amounts, which can be added up. */
export const AMOUNTS = [
  "credits",
  "byokCredits",
  "requests",
  "tokens",
  "promptTokens",
  "completionTokens",
  "reasoningTokens",
] as const;
export type Amount = (typeof AMOUNTS)[number];
/**
 * Credits are what was charged to credits; BYOK is the cost of inference paid at a provider with your own keys, at
 * market rates. Undefined: the service has no value, which is not 0.
 */
export type Amounts = Readonly<Partial<Record<Amount, number | undefined>>>;
export const NO_AMOUNTS: Amounts = {};

/**
 * How the credits of an answer were found. `credits`: the service counts them. `total_less_byok`: its total less BYOK.
 * `total`: its total, which may contain BYOK.
 */
export const CREDITS_SOURCES = ["credits", "total_less_byok", "total"] as const;
export type CreditsSource = (typeof CREDITS_SOURCES)[number];

/** Rates, which cannot be added up. */
export const RATES = ["cacheHitRatio", "latencyAvgSeconds", "latencyP90Seconds"] as const;
export type Rate = (typeof RATES)[number];
export type Rates = Readonly<Partial<Record<Rate, number | undefined>>>;
export const NO_RATES: Rates = {};

/** The account's usage in a time range (contract 2.4). */
export interface Usage extends UsageAnswer {
  /** Named as by the service, so two pairs may have the same texts. Empty if not requested. */
  readonly pairs: readonly UsagePair[];
  /** Undefined: not requested, or its answer was unreadable. */
  readonly total: Total | undefined;
  /** Number of rows in the answer, including unreadable ones: of the pairs if requested, else of the total. */
  readonly rows: number;
}

/** How complete and how old an answer is. */
export interface UsageAnswer {
  readonly creditsSource: CreditsSource;
  /** Number of rows that are not objects, have a value of a wrong type, or lack a label. */
  readonly unreadableRows: number;
  /** Why the first unreadable row was rejected: the column's name, never its value. */
  readonly rowProblem: string | undefined;
  /**
   * Whether the service has more rows than were read, so that sums over the rows are partial: by its flag, its count of
   * rows, or because it sent too many.
   */
  readonly truncated: boolean;
  readonly warnings: number;
  /** The hashes of keys that the warnings name, because a filter could not be resolved; undefined without warnings. */
  readonly warnedHashes?: ReadonlySet<string> | undefined;
  /** When the service computed the answer, if it reports that; the earlier time of two answers. */
  readonly computedAtMs: number | undefined;
  /** Duration that the service reports. */
  readonly queryTimeMs: number | undefined;
}

/** Model and app are the first and the second dimension, whatever they are; the second one may be absent (null). */
export interface UsagePair {
  /** Human-readable; null or empty without a name. */
  readonly model: string | null;
  readonly app: string | null;
  readonly amounts: Amounts;
  readonly rates: Rates;
}

/** The account's usage by hour or by day, in the order of the service. Hours and days without usage have no rows. */
export interface UsageSeries extends UsageAnswer {
  readonly rows: readonly SeriesRow[];
}

export interface SeriesRow {
  /** The beginning of the hour or the day, epoch milliseconds. */
  readonly startMs: number;
  readonly labels: readonly (string | null)[];
  readonly amounts: Amounts;
}

export interface Total {
  readonly amounts: Amounts;
  /** Whether nothing was used: the service sent no row, or one without requests and amounts. */
  readonly empty: boolean;
  /** Why the amounts may be incomplete: the service has more rows than it sent, or warns about the query. */
  readonly gap?: "cut" | "warned" | undefined;
}

/** A request for one transcription (contract 2.5). */
export interface TranscriptionRequest {
  readonly audio: { readonly bytes: Uint8Array; readonly format: string };
  /** `provider/model`. */
  readonly model: string;
  readonly responseFormat: "json" | "verbose_json";
  /** Base64 within JSON, or a file upload (contract 4, rule 2). */
  readonly upload: "json" | "multipart";
}

/** The result of a transcription (contract 2.6). Undefined: the answer lacks the field. */
export interface Transcription {
  readonly text: string;
  readonly usage: {
    readonly costCredits?: number | undefined;
    readonly inputTokens?: number | undefined;
    readonly outputTokens?: number | undefined;
    readonly totalTokens?: number | undefined;
    readonly seconds?: number | undefined;
  };
  /** 0 to 1. */
  readonly confidence: number | undefined;
  readonly durationSeconds: number | undefined;
  /** Detected, or set by the request. */
  readonly language: string | undefined;
}
