import type { Reset } from "./windows.ts";

export type Account = {
  readonly name: string;
  /** All credits bought so far; null if the balance never runs out. */
  purchasedMicros: number | null;
};

export type Key = {
  readonly id: number;
  readonly name: string;
  /** The key's label in analytics answers. Two keys may have the same title. */
  readonly title: string;
  readonly token: string;
  readonly hash: string;
  readonly account: Account;
  readonly management: boolean;
  readonly freeTier: boolean;
  readonly includeByokInLimit: boolean;
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
export type Classifier = { readonly id: string; readonly active: boolean };

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
  readonly tags: ReadonlyMap<string, Tags>;
};

export const mainAccount = "main";
export const defaultWorkspace: Workspace = {
  id: "00000000-0000-4000-8000-000000000000",
  label: "Default",
  isDefault: true,
};
