import type { Reset } from "./windows.ts";

export type Account = {
  readonly name: string;
  /** The credits bought before the first movement; null if no call is refused, whatever the balance. */
  purchasedMicros: number | null;
  /** Purchases and everything else that moves the balance without spend, in any order. */
  readonly movements: Movement[];
};

/** What moves a balance without spend. Only purchases and incoming transfers are positive. */
const movementKinds = ["purchase", "refund", "transfer", "expiry"] as const;
export type MovementKind = (typeof movementKinds)[number];
export type Movement = { readonly at: number; readonly kind: MovementKind; readonly micros: number };

/** Budgets besides a key's own limit, in the order in which calls are checked (vendor-2026-10, 1). */
export const budgetScopes = [
  "workspace_default_member",
  "workspace_default_key",
  "member",
  "api_key",
  "workspace",
] as const;
export type Budget = {
  readonly scope: (typeof budgetScopes)[number];
  readonly id: string;
  readonly micros: number;
  readonly reset: Reset | null;
  readonly includeByok: boolean;
  /** The keys whose spend it counts together. */
  readonly keys: readonly Key[];
};

export type Key = {
  readonly id: number;
  readonly name: string;
  /** The key's name on the gateway: `name` of GET /keys, the label in analytics. Two keys may have the same title. */
  title: string;
  readonly token: string;
  readonly hash: string;
  readonly account: Account;
  readonly management: boolean;
  readonly freeTier: boolean;
  /** Activity without a key (a chat on the gateway's site): never listed, unset in analytics. */
  readonly keyless: boolean;
  readonly includeByokInLimit: boolean;
  readonly workspace: Workspace;
  readonly creator: string | null;
  readonly externalUser: string | null;
  readonly createdAt: number;
  updatedAt: number | null;
  deletedAt: number | null;
  budgets: readonly Budget[];
  limitMicros: number | null;
  limitReset: Reset | null;
  disabled: boolean;
  expiresAt: number | null;
};

export type Model = { readonly id: string; readonly label: string; readonly free: boolean };
export type App = { readonly id: number; readonly title: string };
export type Named = { readonly id: string; readonly label: string };
export type Workspace = Named & { readonly isDefault: boolean };
/** A classifier's tags on one route, by dimension name. */
export type Tags = Readonly<Record<string, string | number>>;

/** Everything about a call except its time and its figures. */
export type Route = {
  readonly index: number;
  readonly key: Key;
  readonly model: Model;
  readonly app: App | null;
  readonly user: Named | null;
  /** Null for activity from before workspaces existed, which belongs to the default workspace (2.1). */
  readonly workspace: Workspace | null;
  readonly provider: string;
  readonly origin: string | null;
  readonly country: string | null;
  readonly finishReason: string;
  readonly externalUser: string | null;
  readonly contextLengthBucket: string;
  readonly dataRegion: string;
  readonly streamed: boolean;
  readonly tags: ReadonlyMap<string, Tags>;
};

export const mainAccount = "main";
export const defaultWorkspace: Workspace = {
  id: "00000000-0000-4000-8000-000000000000",
  label: "Default",
  isDefault: true,
};

/** The operations as faults, switches and the log name them. */
export const endpoints = [
  "key",
  "analytics",
  "transcription",
  "meta",
  "keys",
  "workspaces",
  "credits",
] as const;
export type Endpoint = (typeof endpoints)[number];
