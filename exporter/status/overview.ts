import type { budgetStatus, BudgetStatus } from "../budgets/budget-status.ts";
import { type BudgetConfig, type Config, type ConfigPart, QUERY_WINDOWS } from "../config/config.ts";
import { type ListedNames, budgetQueryName } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { type AccountOverview, accountOverview, type ForecastSource } from "./account-overview.ts";
import { createKeyRows } from "./key-rows.ts";
import {
  type KeyRow,
  type QueryRow,
  queryRow,
  type TargetRow,
  targetRow,
  type UnwatchedRow,
  unwatchedRow,
} from "./target-rows.ts";
import { createKeyModels, keySpendsUnder, type KeyModelsSource } from "./key-models.ts";
import { createKeyNames, type KeyNames } from "./key-names.ts";
import { createHistory, type History, pastSpendsUnder } from "./history.ts";
import { labelsOf } from "../readings/key-labels.ts";
import { type ProbesOverview, probesOverview, type ProbesSource } from "./probes-overview.ts";

/** The content of the status page. It contains no value that `/metrics` must not show. */
export interface Overview {
  readonly version: string;
  readonly nowMs: number;
  readonly startedMs: number;
  /** When the last reload failed; undefined: it succeeded, or there was none. */
  readonly failedReloadMs?: number | undefined;
  /** Undefined: this process polls all keys. */
  readonly shard?: ConfigPart | undefined;
  /** Base URL of the gateway. */
  readonly gateway: string;
  /** Price of one credit, if configured. */
  readonly creditValue: Config["creditValue"];
  /** Number of keys of the configuration, without those of other shards. */
  readonly configuredKeys: number;
  /** Made on first demand. */
  readonly keys: readonly KeyRow[];
  /** The key of this name; undefined: there is none. Makes only its row. */
  readonly keyNamed: (name: string) => KeyRow | undefined;
  /** What the gateway calls the keys. */
  readonly keyNames: KeyNames;
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
  /** The past spend; absent: there is no management key. */
  readonly history?: History | undefined;
  /** Undefined: no probes are configured. */
  readonly probes?: ProbesOverview | undefined;
}

/** A budget in its current window. Amounts are credits. */
export interface BudgetRow extends Omit<BudgetConfig, "limit">, BudgetStatus {
  /** Undefined: the limit is what was bought, which is unknown. */
  readonly limit: number | undefined;
  /** Whether the limit is what was bought, which covers all time. */
  readonly isBought: boolean;
}

export interface OverviewDependencies {
  readonly readings: ReadingSource;
  readonly budgetStatus: typeof budgetStatus;
  readonly probes: ProbesSource;
  /** The names of listed keys. */
  readonly listed: () => ListedNames;
  /** The forecast of a key or of the account. */
  readonly forecasts: ForecastSource;
}

/** The values of `/metrics`, arranged for a person. */
export function createOverview(
  config: Pick<
    Config,
    "gateway" | "keys" | "analytics" | "discovery" | "budgets" | "creditValue" | "probing" | "part"
  >,
  { readings, budgetStatus, probes, listed, forecasts }: OverviewDependencies,
  about: Pick<Overview, "version" | "nowMs" | "startedMs" | "failedReloadMs">,
): Overview {
  let known: ReturnType<typeof labelsOf> | undefined;
  const labels = () => (known ??= labelsOf(listed()));
  const keys = createKeyRows(config, listed(), { readings, forecasts, nowMs: about.nowMs });
  const history = config.analytics && createHistory(readings);
  const keyNames = createKeyNames(labels, keys.named, (label) => [
    ...pastSpendsUnder(label, history, about.nowMs),
    ...keySpendsUnder(label, config, readings),
  ]);
  return {
    ...about,
    shard: config.part,
    gateway: config.gateway.baseUrl,
    creditValue: config.creditValue,
    configuredKeys: config.keys.length,
    get keys() {
      return keys.all();
    },
    keyNamed: keys.named,
    keyNames,
    queries: config.analytics ? QUERY_WINDOWS.map((name) => queryRow(name, readings)) : [],
    keyModels: createKeyModels(config, readings, keyNames),
    history,
    unwatched: config.analytics && unwatchedRow(readings),
    budgetQueries: config.analytics ? budgetQueries(config.budgets, readings) : [],
    budgets: config.budgets.map((budget) => {
      const status = budgetStatus(budget, readings, about.nowMs);
      const isBought = budget.limit === "bought";
      return { ...budget, ...status, isBought, limit: isBought ? status.boughtCredits : budget.limit };
    }),
    account: accountOverview(config, readings, listed(), forecasts),
    probes: config.probing && probesOverview(config.probing, readings, probes),
  };
}

/** Budgets share the regular queries; every other period has its own query. */
function budgetQueries(budgets: readonly BudgetConfig[], readings: ReadingSource): readonly TargetRow[] {
  const names = budgets
    .filter(({ scope, limit }) => scope.kind !== "keys" && limit !== "bought")
    .map(({ scope, period }) => budgetQueryName(scope.kind, period))
    .filter((name) => !QUERY_WINDOWS.some((query) => query === name));
  return [...new Set(names)].map((name) => targetRow(name, readings.status(targetId("analytics", name))));
}
