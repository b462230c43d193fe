import type { ScheduleExpression } from "../time/ticker.ts";
import type { Period } from "../time/window.ts";
import type { SecretSource } from "./secret.ts";

/** The configuration as the rest of the exporter sees it: checked, with defaults filled in and secrets behind their sources. */
export interface Config {
  readonly gateway: GatewayConfig;
  /** Every key of `keys` and `keys_dir`, in the order of the file, then by name. */
  readonly keys: readonly KeyConfig[];
  /** Absent: no analytics are asked for. */
  readonly analytics: AnalyticsConfig | undefined;
  readonly budgets: readonly BudgetConfig[];
  /** Absent: nothing is probed. */
  readonly probing: ProbingConfig | undefined;
  readonly schedule: { readonly keys: ScheduleExpression; readonly analytics: ScheduleExpression };
  /** Price of one credit, only if configured. */
  readonly creditValue: { readonly currency: string; readonly value: number } | undefined;
  /** Most series that the exporter shows; an answer that would go beyond is refused as a whole. */
  readonly seriesLimit: number;
}

export interface GatewayConfig {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** One attempt of one request, from its start to the last byte of the body. */
  readonly timeoutMs: number;
  /** One request with all its retries. */
  readonly deadlineMs: number;
  /** Requests for keys per minute; 0 is unpaced. */
  readonly requestsPerMinute: number;
  /** Requests under way at once. */
  readonly connections: number;
  /** Longest that a server's hint may silence a key or an endpoint. */
  readonly maxPauseMs: number;
  /** Largest body that is read, bytes. */
  readonly maxBodyBytes: number;
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
  /** Pairs of model and app that are shown by name; the rest is `_other`. */
  readonly top: number;
  /** Whether cache hit ratio and latencies are asked for, too. */
  readonly rates: boolean;
}

/** Credits that may be spent in a period. */
export interface BudgetConfig {
  readonly name: string;
  readonly limit: number;
  readonly period: Period;
  readonly scope: BudgetScope;
  /** Whose it is; empty where nothing is set. */
  readonly team: string;
}

/** Whose spend counts. Models and apps are named by the text that the service answers. */
export type BudgetScope =
  | { readonly kind: "keys"; readonly names: readonly string[] }
  | { readonly kind: "model" | "app"; readonly label: string }
  /** All keys of the account, watched or not. */
  | { readonly kind: "account" };

/** Transcriptions on a schedule, and what they may spend. */
export interface ProbingConfig {
  readonly probes: readonly ProbeConfig[];
  /** Most that all probes together may spend per UTC day. */
  readonly ceilingCredits: number;
  /** What one run may cost. */
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

/** Where audio comes from. It is read again for each use. */
export interface AudioSource {
  /** For messages: `file "/etc/probes/hello.wav"`. */
  readonly origin: string;
  readonly format: string;
  /** With a fault the bytes are those of the last time that it could be read, if there was one. */
  read(): Promise<{ readonly bytes: Uint8Array | undefined; readonly fault: string | undefined }>;
}
