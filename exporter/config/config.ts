import type { ScheduleExpression } from "../time/ticker.ts";
import type { Period } from "../time/window.ts";
import type { Secret, SecretSource } from "./secret.ts";

/** The configuration as the rest of the exporter sees it: checked, with defaults, and with sources in place of secrets. */
export interface Config {
  readonly gateway: GatewayConfig;
  /** Every key of `keys` and `keys_dir`, in the order of the file, then by name. */
  readonly keys: readonly KeyConfig[];
  /** Undefined: no analytics are queried. */
  readonly analytics: AnalyticsConfig | undefined;
  /** Undefined: the keys of the account are not listed. */
  readonly discovery: DiscoveryConfig | undefined;
  readonly budgets: readonly BudgetConfig[];
  /** Undefined: no probes run. */
  readonly probing: ProbingConfig | undefined;
  readonly schedule: {
    readonly keys: ScheduleExpression;
    readonly analytics: ScheduleExpression;
    readonly discovery: ScheduleExpression;
  };
  /** Price of one credit, if configured. */
  readonly creditValue: { readonly currency: string; readonly value: number } | undefined;
  /** Maximum number of series. An answer that would exceed it is rejected entirely. */
  readonly seriesLimit: number;
}

export interface GatewayConfig {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Time limit of one attempt of a request, up to the last byte of the body. */
  readonly timeoutMs: number;
  /** Time limit of a request with all its retries. */
  readonly deadlineMs: number;
  /** Requests for keys per minute; 0 is unlimited. */
  readonly requestsPerMinute: number;
  /** Concurrent requests. */
  readonly connections: number;
  /** Longest pause of a key or an endpoint that the gateway can request. */
  readonly maxPauseMs: number;
  /** Largest accepted response body, in bytes. */
  readonly maxBodyBytes: number;
  /** Undefined: the gateway is requested directly. */
  readonly proxy?: ProxyConfig | undefined;
}

/** A proxy for the requests to a gateway over https. */
export interface ProxyConfig {
  /** `http://proxy.example:3128`, without credentials. */
  readonly url: string;
  /** `user:password` in base64, as the header for it has them. */
  readonly login: Secret | undefined;
}

export interface KeyConfig {
  readonly name: string;
  readonly secret: SecretSource;
  /** Labels of `aigateway_key_owner_info`; empty where nothing is set. */
  readonly owner: Owner;
  /** Whether the service's `label`, a masked fragment of the secret, may be shown (contract 2.7, observed-behaviour 11). */
  readonly showLabel: boolean;
}

export interface Owner {
  readonly team: string;
  readonly project: string;
  readonly costCenter: string;
}

export interface AnalyticsConfig {
  readonly managementKey: SecretSource;
  /** Number of pairs of model and app shown by name; the rest is `_other`. */
  readonly top: number;
  /** Whether to query the cache hit ratio and latencies as well. */
  readonly rates: boolean;
  /** Further queries, built-in ones included. */
  readonly queries: readonly QueryConfig[];
}

/** A query by one or two dimensions. */
export interface QueryConfig {
  readonly name: string;
  /** As the service names them. */
  readonly dimensions: readonly string[];
  /** What is shown of each row. */
  readonly metrics: readonly QueryMetric[];
  readonly window: "day" | "last_day" | "month" | "last_month";
  /** Number of rows shown by name; the rest is `_other`. */
  readonly top: number;
  readonly filters: readonly QueryFilter[];
}

/** What a query can show, amounts first. */
export const QUERY_METRICS = [
  "credits",
  "byok_credits",
  "requests",
  "tokens",
  "prompt_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "cache_hit_ratio",
  "latency_avg_seconds",
  "latency_p90_seconds",
] as const;
export type QueryMetric = (typeof QUERY_METRICS)[number];

/** Either of both lists has values. */
export interface QueryFilter {
  readonly field: string;
  readonly operator: "in" | "not_in";
  readonly values: readonly (string | number)[];
  readonly includeUnset: boolean;
}

/** Which keys of the account are shown without their secrets. */
export interface DiscoveryConfig {
  /** The workspaces to list; undefined: the default one. */
  readonly workspaces: readonly (string | undefined)[];
  /** Names that match none of these are left out, if there are any. */
  readonly include: readonly RegExp[];
  /** Names that match one of these are left out. */
  readonly exclude: readonly RegExp[];
  /** Its groups `team`, `project` and `cost_center` are the owner. */
  readonly owner: RegExp | undefined;
}

/** Credits that may be spent in a period. */
export interface BudgetConfig {
  readonly name: string;
  readonly limit: number;
  readonly period: Period;
  readonly scope: BudgetScope;
  /** The team that owns the budget; empty when none is set. */
  readonly team: string;
}

/** What the budget covers. Models and apps are matched by the text that the service returns. */
export type BudgetScope =
  | { readonly kind: "keys"; readonly names: readonly string[] }
  | { readonly kind: "model" | "app"; readonly label: string }
  /** All keys of the account, polled or not. */
  | { readonly kind: "account" };

/** Transcriptions on a schedule, and what they may spend. */
export interface ProbingConfig {
  readonly probes: readonly ProbeConfig[];
  /** Maximum that all probes together may spend per UTC day. */
  readonly ceilingCredits: number;
  /** Maximum that one run may cost. */
  readonly maxCostCredits: number;
}

export interface ProbeConfig {
  readonly name: string;
  /** Name of the key that pays. */
  readonly key: string;
  readonly secret: SecretSource;
  readonly model: string;
  readonly audio: AudioSource;
  readonly expectedText: string;
  readonly maxWordErrorRate: number;
  /** ISO 639-1; undefined: any. */
  readonly expectedLanguage: string | undefined;
  readonly responseFormat: "json" | "verbose_json";
  readonly upload: "json" | "multipart";
  readonly schedule: ScheduleExpression;
  readonly timeoutMs: number;
}

/** A source of audio, read again for each use. */
export interface AudioSource {
  /** For messages: `file "/etc/probes/hello.wav"`. */
  readonly origin: string;
  readonly format: string;
  /** If the read failed, the bytes are those of the last successful read, if any. */
  read(): Promise<{ readonly bytes: Uint8Array | undefined; readonly fault: string | undefined }>;
}
