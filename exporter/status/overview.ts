import type { BudgetGaps, budgetStatus, BudgetStatus } from "../budgets/budget-status.ts";
import type { BudgetConfig, BudgetScope, Config, ConfigPart } from "../config/config.ts";
import type { ListedNames } from "../readings/listed-name.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { type Period, periodName } from "../time/window.ts";
import { type AccountOverview, accountOverview, listedKeys } from "./account-overview.ts";
import type { KeyHistory } from "./key-history.ts";
import { keyRows } from "./key-rows.ts";
import { createKeyModels, type KeyModelsSource } from "./key-models.ts";
import type { SpendHours } from "./spend-hours.ts";
import { type ProbesOverview, probesOverview, type ProbesSource } from "./probes-overview.ts";
import {
  type KeyRow,
  QUERY_NAMES,
  type QueryRow,
  queryRow,
  type TargetRow,
  targetRow,
} from "./target-rows.ts";
import { type UnwatchedRow, unwatchedRow } from "./unwatched-row.ts";

/** The content of the status page. It contains no value that `/metrics` must not show. */
export interface Overview {
  readonly version: string;
  readonly nowMs: number;
  readonly startedMs: number;
  /** When the last reload failed; undefined: it succeeded, or there was none. */
  readonly failedReloadMs?: number | undefined;
  /** Undefined: this process polls all keys. */
  readonly shard?: ShardOverview | undefined;
  /** Base URL of the gateway. */
  readonly gateway: string;
  /** Price of one credit, if configured. */
  readonly creditValue: { readonly currency: string; readonly value: number } | undefined;
  readonly keys: readonly KeyRow[];
  readonly queries: readonly QueryRow[];
  /** The spend of keys by model; absent: no query asks for it. */
  readonly keyModels?: KeyModelsSource | undefined;
  /** Undefined: no analytics are queried. */
  readonly unwatched?: UnwatchedRow | undefined;
  /** Queries that only budgets need. */
  readonly budgetQueries: readonly TargetRow[];
  readonly budgets: readonly BudgetRow[];
  /** Absent: there is no management key. */
  readonly account?: AccountOverview | undefined;
  /** The course of the keys; absent: nothing is recorded. */
  readonly history?: KeyHistory | undefined;
  /** The spend of models and apps by hour; absent: nothing is recorded. */
  readonly spendHours?: SpendHours | undefined;
  /** Undefined: no probes are configured. */
  readonly probes?: ProbesOverview | undefined;
}

/** Which part of the keys this process polls. */
export interface ShardOverview {
  /** From 0. */
  readonly ordinal: number;
  readonly total: number;
  /** Number of configured keys that the other shards poll. */
  readonly keysElsewhere: number;
}

/** A budget in its current window. Amounts are credits. */
export interface BudgetRow {
  readonly name: string;
  /** Empty if not configured. */
  readonly team: string;
  readonly scope: BudgetScope;
  readonly window: Period["kind"];
  readonly windowStartMs: number;
  /** Undefined: a total has no end. */
  readonly windowEndMs: number | undefined;
  /** Undefined: the limit is what was bought, which is unknown. */
  readonly limit: number | undefined;
  /** Whether the limit is what was bought, which covers all time. */
  readonly isBought?: boolean | undefined;
  /** Undefined: the spend in the window is unknown. */
  readonly spent: number | undefined;
  /** Why `spent` is only a lower bound, or unknown; undefined: it is complete. */
  readonly gaps: BudgetGaps | undefined;
  /** Whether its model or app is in no row, so that its name may be misspelt. */
  readonly isUnseen: boolean;
  /** Number of keys that the budget covers at all shards; absent: this process polls them all. */
  readonly keysInAll?: number | undefined;
}

export interface OverviewDependencies {
  readonly readings: ReadingSource;
  readonly budgetStatus: typeof budgetStatus;
  readonly probes: ProbesSource;
  /** The names of listed keys; none unless given. */
  readonly listed?: () => ListedNames;
  readonly history?: KeyHistory;
  readonly spendHours?: SpendHours;
}

/** The values of `/metrics`, arranged for a person. */
export function createOverview(
  config: Pick<
    Config,
    "gateway" | "keys" | "analytics" | "discovery" | "budgets" | "creditValue" | "probing" | "part"
  >,
  { readings, budgetStatus, probes, history, spendHours, listed = () => new Map() }: OverviewDependencies,
  about: Pick<Overview, "version" | "nowMs" | "startedMs" | "failedReloadMs">,
): Overview {
  return {
    ...about,
    ...(history && { history }),
    ...(spendHours && { spendHours }),
    shard: config.part && shardOverview(config.part),
    gateway: config.gateway.baseUrl,
    creditValue: config.creditValue,
    keys: [...keyRows(config.keys, readings), ...listedKeys(config, readings, listed())],
    queries: config.analytics ? QUERY_NAMES.map((name) => queryRow(name, readings)) : [],
    keyModels: createKeyModels(config, readings, listed()),
    unwatched: config.analytics && unwatchedRow(readings),
    budgetQueries: config.analytics ? budgetQueries(config.budgets, readings) : [],
    budgets: config.budgets.map((budget) => budgetRow(budget, budgetStatus(budget, readings, about.nowMs))),
    account: accountOverview(config, readings, listed()),
    probes: config.probing && probesOverview(config.probing, readings, probes),
  };
}

function shardOverview({ ordinal, total, elsewhere }: ConfigPart): ShardOverview {
  return { ordinal, total, keysElsewhere: elsewhere.length };
}

function budgetRow(
  { name, team, scope, period, limit: written, part }: BudgetConfig,
  { window, boughtCredits, spent, gaps, isUnseen }: BudgetStatus,
): BudgetRow {
  const windowEndMs = Number.isFinite(window.endMs) ? window.endMs : undefined;
  const windowStartMs = window.startMs;
  const isBought = written === "bought";
  const limit = isBought ? boughtCredits : written;
  const row = { name, team, scope, window: period.kind, windowStartMs, windowEndMs, limit, spent, gaps };
  return { ...row, isUnseen, ...(isBought && { isBought }), ...(part && { keysInAll: part.keys }) };
}

/** Budgets share the regular queries; every other period has its own query. */
function budgetQueries(budgets: readonly BudgetConfig[], readings: ReadingSource): readonly TargetRow[] {
  const names = budgets
    .filter(({ scope, limit }) => scope.kind !== "keys" && limit !== "bought")
    .map(({ period }) => periodName(period))
    .filter((name) => !QUERY_NAMES.some((query) => query === name));
  return [...new Set(names)].map((name) => targetRow(name, readings.status(targetId("analytics", name))));
}
