import type { Secret, SecretSource } from "../secrets/secret.ts";
import { createHash } from "node:crypto";
import type { AccountConfig } from "./account-section.ts";
import type { budgetConfig, Owner } from "./budgets/schema.ts";
import type { DiscoveryConfig } from "./discovery-section.ts";
import type { ProbingConfig } from "./probes/probe-config.ts";
import type { QueryConfig } from "./query-section.ts";
import type { ConfigFile } from "./schema.ts";

export type { AccountConfig, DiscoveryConfig, Owner, ProbingConfig, QueryConfig };
export { BUDGET_DIMENSIONS } from "./budgets/schema.ts";
export type { BudgetDimension, BudgetScope } from "./budgets/schema.ts";
export type { NamePattern } from "./discovery-section.ts";
export type { AudioSource, ProbeConfig } from "./probes/probe-config.ts";
export { QUERY_WINDOWS, type QueryClassifier, type QueryMetric } from "./query-section.ts";

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
  readonly schedule: Readonly<ConfigFile["schedule"]>;
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
  /** `user:password` in base64, as in the Proxy-Authorization header. */
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
export type KeyLimit = NonNullable<ConfigFile["keys"][number]["limit"]>;

export interface AnalyticsConfig {
  readonly managementKey: SecretSource;
  /** Number of pairs of model and app shown by name; the rest is `_other`. */
  readonly top: number;
  /** Whether to query the cache hit ratio and latencies as well. */
  readonly rates: boolean;
  /** Further queries, built-in ones included. */
  readonly queries: readonly QueryConfig[];
}

/** Credits that may be spent in a period. */
export interface BudgetConfig extends Readonly<ReturnType<typeof budgetConfig>> {
  /** Present if other shards poll some of its keys: then `scope` has the keys of this shard only. */
  readonly part?: BudgetPart | undefined;
}

export interface BudgetPart extends Pick<ConfigPart, "ordinal" | "total"> {
  /** Number of shards that have keys of the budget. */
  readonly parts: number;
  /** Number of all its keys. */
  readonly keys: number;
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
