import type { Config, QueryConfig } from "../config/config.ts";
import { decimalRest } from "../metrics/decimal-sum.ts";
import type { Forecast } from "../forecast/forecaster.ts";
import type { CreditsReading, ListedNames } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { CREDITS, type TargetId, targetId } from "../readings/target-id.ts";
import { type TargetRow, targetRow } from "./target-rows.ts";

/** What the management key shows about the account, apart from models and apps. */
export interface AccountOverview {
  readonly balance: BalanceRow;
  /** Whether the names of queries could be checked; its warning names those that the gateway does not list. */
  readonly capabilities: TargetRow;
  readonly listings: readonly ListingRow[];
  /** The queries of the configuration, built-in ones included. */
  readonly queries: readonly OwnQueryRow[];
}

/** What a query asks, with the outcome of its runs. */
export type OwnQueryRow = TargetRow & Pick<QueryConfig, "dimensions" | "window">;

/** Credits; undefined: unknown, or not reported by the gateway. */
export interface BalanceRow extends TargetRow {
  readonly bought: number | undefined;
  readonly used: number | undefined;
  readonly balance: number | undefined;
  /** What it buys by itself; undefined: nothing. */
  readonly topUp?: CreditsReading["topUp"];
  /** Undefined: there is no answer yet. */
  readonly forecast?: Forecast | undefined;
}

/** The list of keys of a workspace. */
export interface ListingRow extends TargetRow {
  /** Number of keys that it shows now; undefined: it was never answered. */
  readonly keys: number | undefined;
}

/** The forecasts of keys and of the account; undefined: there is no answer yet. */
export interface ForecastSource {
  of(id: TargetId): Forecast | undefined;
}

type AccountConfig = Pick<Config, "analytics" | "discovery">;

/** Undefined: there is no management key. */
export function accountOverview(
  { analytics, discovery }: AccountConfig,
  readings: ReadingSource,
  listed: ListedNames,
  forecasts: ForecastSource,
): AccountOverview | undefined {
  if (!analytics) return undefined;
  const row = (kind: string, name: string) => targetRow(name, readings.status(targetId(kind, name)));
  const workspaces = (discovery?.workspaces ?? []).map((workspace) => workspace ?? "default");
  return {
    balance: { ...balanceRow(readings), forecast: forecasts.of(CREDITS) },
    capabilities: row("account", "capabilities"),
    listings: workspaces.map((name) => {
      const hashes = [...(listed.get(name)?.keys() ?? [])];
      const keys = hashes.filter((hash) => readings.status(targetId("listed", hash))).length;
      return { ...row("discovery", name), keys: listed.has(name) ? keys : undefined };
    }),
    queries: analytics.queries.map(({ name, dimensions, window }) => ({
      ...row("analytics", name),
      dimensions,
      window,
    })),
  };
}

function balanceRow(readings: ReadingSource): BalanceRow {
  const value = readings.shown(CREDITS)?.value;
  const credits = value?.kind === "credits" ? value : undefined;
  return {
    ...targetRow("credits", readings.status(CREDITS)),
    bought: credits?.boughtCredits,
    used: credits?.usedCredits,
    topUp: credits?.topUp,
    balance: credits && decimalRest(credits.boughtCredits, [credits.usedCredits]),
  };
}
