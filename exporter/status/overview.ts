import type { BudgetGaps, budgetStatus, BudgetStatus } from "../budgets/budget-status.ts";
import type { BudgetConfig, BudgetScope, Config } from "../config/config.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { type Period, periodName } from "../time/window.ts";
import { type ProbesOverview, probesOverview, type ProbesSource } from "./probes-overview.ts";
import {
  type KeyRow,
  keyRow,
  QUERY_NAMES,
  type QueryRow,
  queryRow,
  type TargetRow,
  targetRow,
} from "./target-rows.ts";

/** The content of the status page. It contains no value that `/metrics` must not show. */
export interface Overview {
  readonly version: string;
  readonly nowMs: number;
  readonly startedMs: number;
  /** When the last reload failed; undefined: it succeeded, or there was none. */
  readonly failedReloadMs?: number | undefined;
  /** Base URL of the gateway. */
  readonly gateway: string;
  /** Price of one credit, if configured. */
  readonly creditValue: { readonly currency: string; readonly value: number } | undefined;
  readonly keys: readonly KeyRow[];
  readonly queries: readonly QueryRow[];
  /** Queries that only budgets need. */
  readonly budgetQueries: readonly TargetRow[];
  readonly budgets: readonly BudgetRow[];
  /** Undefined: no probes are configured. */
  readonly probes?: ProbesOverview | undefined;
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
  readonly limit: number;
  /** Undefined: the spend in the window is unknown. */
  readonly spent: number | undefined;
  /** Why `spent` is only a lower bound, or unknown; undefined: it is complete. */
  readonly gaps: BudgetGaps | undefined;
  /** Whether its model or app is in no row, so that its name may be misspelt. */
  readonly isUnseen: boolean;
}

export interface OverviewDependencies {
  readonly readings: ReadingSource;
  readonly budgetStatus: typeof budgetStatus;
  readonly probes: ProbesSource;
}

/** The values of `/metrics`, arranged for a person. */
export function createOverview(
  config: Pick<Config, "gateway" | "keys" | "analytics" | "budgets" | "creditValue" | "probing">,
  { readings, budgetStatus, probes }: OverviewDependencies,
  about: Pick<Overview, "version" | "nowMs" | "startedMs" | "failedReloadMs">,
): Overview {
  return {
    ...about,
    gateway: config.gateway.baseUrl,
    creditValue: config.creditValue,
    keys: config.keys.map((key) => keyRow(key, readings)),
    queries: config.analytics ? QUERY_NAMES.map((name) => queryRow(name, readings)) : [],
    budgetQueries: config.analytics ? budgetQueries(config.budgets, readings) : [],
    budgets: config.budgets.map((budget) => budgetRow(budget, budgetStatus(budget, readings, about.nowMs))),
    probes: config.probing && probesOverview(config.probing, readings, probes),
  };
}

function budgetRow(
  { name, team, scope, period, limit }: BudgetConfig,
  { window, spent, gaps, isUnseen }: BudgetStatus,
): BudgetRow {
  const windowEndMs = Number.isFinite(window.endMs) ? window.endMs : undefined;
  const windowStartMs = window.startMs;
  return { name, team, scope, window: period.kind, windowStartMs, windowEndMs, limit, spent, gaps, isUnseen };
}

/** Budgets share the regular queries; every other period has its own query. */
function budgetQueries(budgets: readonly BudgetConfig[], readings: ReadingSource): readonly TargetRow[] {
  const names = budgets
    .filter(({ scope }) => scope.kind !== "keys")
    .map(({ period }) => periodName(period))
    .filter((name) => !QUERY_NAMES.some((query) => query === name));
  return [...new Set(names)].map((name) => targetRow(name, readings.status(targetId("analytics", name))));
}
