import type { ScheduleExpression } from "../time/ticker.ts";
import type { Period } from "../time/window.ts";
import type { Secret, SecretSource } from "../secrets/secret.ts";
import { createHash } from "node:crypto";

/**
 * The configuration as the rest of the exporter sees it: checked, with defaults, and with sources in place of
 * secrets.
 */
export interface Config {
  readonly gateway: GatewayConfig;
  /** Every key of `keys` and `keys_dir`, in the order of the file, then by name. */
  readonly keys: readonly KeyConfig[];
  /** Undefined: no analytics are queried. */
  readonly analytics: AnalyticsConfig | undefined;
  /** Undefined: the keys of the account are not listed. */
  readonly discovery: DiscoveryConfig | undefined;
  /** Absent: nothing is known about the account but what the gateway reports. */
  readonly account?: AccountConfig | undefined;
  readonly budgets: readonly BudgetConfig[];
  /** Undefined: no probes run. */
  readonly probing: ProbingConfig | undefined;
  readonly schedule: {
    readonly keys: ScheduleExpression;
    readonly analytics: ScheduleExpression;
    readonly discovery: ScheduleExpression;
  };
  /** Price of one credit, if configured. */
  readonly creditValue: CreditValue | undefined;
  /** Of the file's text (`configHash`). */
  readonly hash: number;
  /** Maximum number of series. An answer that would exceed it is rejected entirely. */
  readonly seriesLimit: number;
  /** Number of processes among which the keys are divided; absent: 1. */
  readonly shards?: number;
  /** Which part of the configuration this is; absent: all of it. */
  readonly part?: ConfigPart | undefined;
}

export interface ConfigPart {
  /** The shard whose part it is, from 0. */
  readonly ordinal: number;
  readonly total: number;
  /** The keys that other shards poll. */
  readonly elsewhere: readonly KeyConfig[];
}

export interface CreditValue {
  readonly currency: string;
  readonly value: number;
  /** Prices of the past, the oldest first: each until an instant, epoch milliseconds. */
  readonly former: readonly { readonly untilMs: number; readonly value: number }[];
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
  /** Certificates for its connections, PEM. */
  readonly tls?: Readonly<Partial<Record<"ca" | "cert" | "key", string>>> | undefined;
  /** Further headers of every request. */
  readonly headers?: readonly { readonly name: string; readonly value: SecretSource }[] | undefined;
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
  /**
   * Whether the service's `label`, a masked fragment of the secret, may be shown (contract 2.7,
   * observed-behaviour 11).
   */
  readonly showLabel: boolean;
  /** A limit that the service has but does not report, such as that of a workspace; absent: none is known. */
  readonly limit?: KeyLimit | undefined;
}

/** Credits that a key may use in a window; `none`: in all. */
export interface KeyLimit {
  readonly credits: number;
  readonly window: "day" | "week" | "month" | "none";
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

/** What the operator knows about the balance of the account, in credits. */
export interface AccountConfig {
  /** Undefined: credits are bought by hand. */
  readonly topUp: TopUp | undefined;
  /** A balance below this is low; undefined: only the forecast judges it. */
  readonly lowBalance: number | undefined;
}

/** Credits that the account buys by itself as soon as its balance is below an amount. */
export interface TopUp {
  readonly below: number;
  readonly credits: number;
}

/** A query by one or two dimensions. */
export interface QueryConfig {
  readonly name: string;
  /** One or two, as the service names them, those of a classifier last. */
  readonly dimensions: readonly string[];
  /** The classifier whose tags are the values of some dimensions; undefined: none. */
  readonly classifier?: QueryClassifier | undefined;
  /** What is shown of each row. */
  readonly metrics: readonly QueryMetric[];
  readonly window: "day" | "last_day" | "month" | "last_month";
  /** Number of rows shown by name; the rest is `_other`. */
  readonly top: number;
  readonly filters: readonly QueryFilter[];
}

export interface QueryClassifier {
  /** UUID. */
  readonly id: string;
  readonly dimensions: readonly string[];
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
  /** The workspaces to list; undefined: the default one; `all`: every one, in one list. */
  readonly workspaces: readonly (string | undefined)[];
  /** Names that match none of these are left out; if it is empty, none is. */
  readonly include: readonly NamePattern[];
  /** Names that match one of these are left out. */
  readonly exclude: readonly NamePattern[];
  /** Its groups `team`, `project` and `cost_center` are the owner. */
  readonly owner: NamePattern | undefined;
}

/** A regular expression that is matched with names of keys. */
export interface NamePattern {
  readonly written: string;
  /** The names of its groups. */
  readonly groups: readonly string[];
  readonly matches: (name: string) => boolean;
  /** What each named group has matched; undefined: the name does not match. */
  readonly groupsIn: (name: string) => Readonly<Record<string, string | null>> | undefined;
}

/** Credits that may be spent in a period. */
export interface BudgetConfig {
  readonly name: string;
  /** `bought`: what the account has bought in all, against everything that it used. */
  readonly limit: number | "bought";
  readonly period: Period;
  readonly scope: BudgetScope;
  /** The team that owns the budget; empty when none is set. */
  readonly team: string;
  /** Percentages of the limit that are announced when they are spent; absent: none. */
  readonly at?: readonly number[];
  /** Present if other shards poll some of its keys: then `scope` has the keys of this shard only. */
  readonly part?: BudgetPart | undefined;
}

export interface BudgetPart extends Pick<ConfigPart, "ordinal" | "total"> {
  /** Number of shards that have keys of the budget. */
  readonly parts: number;
  /** Number of all its keys. */
  readonly keys: number;
}

/** By what else than model and app a budget can cover spend: dimensions of the analytics, with a query of their own. */
export const BUDGET_DIMENSIONS = ["user", "workspace", "provider"] as const;
export type BudgetDimension = (typeof BUDGET_DIMENSIONS)[number];

/** What the budget covers. Models, apps and the others are matched by the text that the service returns. */
export type BudgetScope =
  | { readonly kind: "keys"; readonly names: readonly string[] }
  | { readonly kind: "model" | "app" | BudgetDimension; readonly label: string }
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

/** Requests per minute of each endpoint; 0 is unlimited. Transcriptions have their own schedules and spend limit. */
export function requestLimits({ requestsPerMinute }: Pick<GatewayConfig, "requestsPerMinute">) {
  return { key: requestsPerMinute, analytics: PER_MINUTE, account: PER_MINUTE, transcription: 0 };
}

/** The rate that the analytics endpoint accepts without refusals (observed-behaviour 8). */
const PER_MINUTE = 60;

/**
 * The hash of a configuration as a metric shows it: the first 48 bits of the SHA-256 of the file, because a
 * sample holds integers of 53 bits. In a shell: `printf '%d\n' 0x$(sha256sum <config.yaml | cut -c1-12)`.
 */
export function configHash(text: string): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}
