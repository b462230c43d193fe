import type { BudgetRow, Overview } from "../overview.ts";
import { statesOf, viewed } from "../page/viewed.ts";
import type { View } from "../view.ts";
import type { z } from "zod";
import { seconds, wholeSeconds } from "../../metrics/family.ts";
import type { AccountOverview } from "../account-overview.ts";
import {
  type KeyRow,
  type QueryRow,
  type TargetRow,
  type UnwatchedRow,
  wholeCredits,
} from "../target-rows.ts";
import type { statusSchema } from "./schema.ts";

/** More than on the page, because scripts read all of them. */
const KEYS_SHOWN = 1000;

/** A view of the status as JSON, in which unknown values are absent. */
export function statusJson(all: Overview, view: View): string {
  const overview = viewed(all, view);
  const { keys, budgets } = overview;
  const end = view.page * KEYS_SHOWN;
  const shown = keys.slice(end - KEYS_SHOWN, end).map((key) => keyJson(key, overview));
  const head = headJson(overview, end < keys.length ? view.page + 1 : undefined);
  return `${jsonText({ ...head, keys: shown, budgets: budgets.map(budgetJson) })}\n`;
}

/** A number that is not finite is unknown; JSON would have null. */
function jsonText(value: object): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === "number" && !Number.isFinite(each) ? undefined : each,
  );
}

type StatusJson = z.infer<typeof statusSchema>;

/** Everything but the rows of keys and budgets. */
function headJson(overview: Overview, nextPage: number | undefined): Omit<StatusJson, "keys" | "budgets"> {
  const { version, nowMs, startedMs, failedReloadMs, gateway, shard, queries, unwatched } = overview;
  const { account, creditValue } = overview;
  return {
    version,
    timestamp_seconds: nowMs / 1000,
    start_timestamp_seconds: startedMs / 1000,
    failed_reload_timestamp_seconds: seconds(failedReloadMs),
    gateway_url: gateway,
    credit_value: creditValue && { currency: creditValue.currency, value: creditValue.value },
    shard: shard && { ordinal: shard.ordinal, total: shard.total, keys_elsewhere: shard.elsewhere.length },
    keys_total: overview.keys.length,
    next_page: nextPage,
    queries: queries.length > 0 ? queries.map(queryJson) : undefined,
    unwatched: unwatched && unwatchedJson(unwatched),
    account: account && accountJson(account),
  };
}

/** A key with its owner, limit and spend. */
function keyJson(row: KeyRow, { keyModels }: Pick<Overview, "keyModels">): StatusJson["keys"][number] {
  const models = keyModels?.of(row) ?? [];
  const { team, project, costCenter } = row.owner;
  const limit = typeof row.limit === "number" ? row.limit : undefined;
  return {
    key: row.name,
    ...targetJson(row),
    states: statesOf(row),
    team: given(team),
    project: given(project),
    cost_center: given(costCenter),
    listed: row.isListed === true,
    listed_figures: row.isListed === true || row.isFromList === true,
    unlimited:
      row.limit === undefined ? undefined : row.limit === "unlimited" && (row.layers ?? []).length === 0,
    limit_credits: limit,
    limit_source: limit === undefined ? undefined : row.isLimitMirrored ? "mirrored" : "gateway",
    limit_remaining_credits: row.remaining,
    limit_reset_schedule: row.reset,
    limit_next_reset_timestamp_seconds: seconds(row.nextResetMs),
    layers: row.layers?.map(layerJson),
    ...forecastJson(row.forecast),
    usage_day_credits: row.day,
    usage_week_credits: row.week,
    usage_month_credits: row.month,
    usage_credits: row.total,
    byok_usage_day_credits: row.byok?.day,
    byok_usage_month_credits: row.byok?.month,
    byok_usage_credits: row.byok?.total,
    expiry_timestamp_seconds: seconds(row.expiryMs),
    models_day: modelsJson(models.find(({ name }) => name === "day")),
    models_month: modelsJson(models.find(({ name }) => name === "month")),
  };
}

function layerJson(layer: NonNullable<KeyRow["layers"]>[number]) {
  return {
    source: layer.source,
    shared_id: layer.sharedId,
    limit_credits: layer.limitCredits,
    spent_credits: layer.spentCredits,
    remaining_credits: layer.remainingCredits,
    next_reset_timestamp_seconds: seconds(layer.nextResetMs),
  };
}

function forecastJson(forecast: KeyRow["forecast"]) {
  return {
    outlook: forecast?.outlook,
    outlook_source: forecast?.source,
    exhaustion_timestamp_seconds: forecast && wholeSeconds(forecast.exhaustionMs),
    burn_credits_per_hour: forecast && { ...forecast.burn },
  };
}

function modelsJson(row: QueryRow | undefined): StatusJson["keys"][number]["models_day"] {
  if (row?.dataMs === undefined) return undefined;
  return {
    data_timestamp_seconds: seconds(row.dataMs),
    credits: row.credits,
    complete: wholeCredits(row) !== undefined,
    models: row.pairs.map(({ model, credits }) => ({ model, credits })),
  };
}

/** A budget in its current window. */
function budgetJson(row: BudgetRow): StatusJson["budgets"][number] {
  const { name, team, scope, period, window, gaps, part } = row;
  return {
    budget: name,
    team: given(team),
    scope: scope.kind,
    keys: scope.kind === "keys" ? [...scope.names] : undefined,
    label: "label" in scope ? scope.label : undefined,
    window: period.kind,
    window_start_timestamp_seconds: row.isBought ? undefined : window.startMs / 1000,
    window_end_timestamp_seconds: window.endMs / 1000,
    limit_credits: row.limit,
    spent_credits: row.spent,
    complete: row.spent !== undefined && !gaps && !part,
    gaps: gaps && Object.fromEntries(Object.entries(gaps.counts).filter(([, count]) => count > 0)),
    keys_at_all_shards: part?.keys,
    unmatched: row.isUnmatched,
  };
}

function targetJson({ state, failure, lastSuccessMs, warning }: TargetRow) {
  return {
    up: state === "waiting" ? undefined : state === "up",
    failure_reason: failure?.reason,
    failure_message: failure?.message,
    failure_cause: failure?.cause?.name,
    failure_advice: failure?.cause?.advice,
    last_success_timestamp_seconds: seconds(lastSuccessMs),
    warning,
  };
}

function queryJson(row: QueryRow): NonNullable<StatusJson["queries"]>[number] {
  return {
    query: row.name,
    ...targetJson(row),
    window_start_timestamp_seconds: seconds(row.windowStartMs),
    data_timestamp_seconds: seconds(row.dataMs),
    credits: row.credits,
    requests: row.requests,
    complete: wholeCredits(row) !== undefined,
    requests_complete: row.requests !== undefined && row.isRequestsLeast !== true,
    pairs: row.pairs.map(({ model, app, credits }) => ({ model, app, credits })),
    truncated: row.truncated,
    exceeds_total: row.exceedsTotal,
  };
}

function unwatchedJson(row: UnwatchedRow): StatusJson["unwatched"] {
  return {
    ...targetJson(row),
    day_credits: row.day,
    month_credits: row.month,
    unresolved_keys: row.unresolvedKeys,
  };
}

function accountJson({ balance }: AccountOverview): StatusJson["account"] {
  return {
    balance: {
      ...targetJson(balance),
      bought_credits: balance.bought,
      used_credits: balance.used,
      balance_credits: balance.balance,
      ...forecastJson(balance.forecast),
    },
  };
}

function given(text: string): string | undefined {
  return text === "" ? undefined : text;
}
