import type { Config, KeyConfig } from "../config/config.ts";
import type { KeyReading, ListedName, ListedNames } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import type { ShownReading } from "../readings/stored.ts";
import { targetId } from "../readings/target-id.ts";
import { windowAt, type WindowKind } from "../time/window.ts";
import type { ForecastSource } from "./account-overview.ts";
import { dangerOf } from "./danger.ts";
import { type KeyRow, stateOf } from "./target-rows.ts";

/** The keys of the process: the configured ones in their order, then those that only a list of the account shows. */
export interface KeyRows {
  readonly all: () => readonly KeyRow[];
  /** Makes this row only; undefined: no key has the name. */
  readonly named: (name: string) => KeyRow | undefined;
}

export interface KeySources {
  readonly readings: ReadingSource;
  readonly forecasts: ForecastSource;
  readonly nowMs: number;
}

type KeysConfig = Pick<Config, "keys" | "discovery" | "part">;

export function createKeyRows(config: KeysConfig, listed: ListedNames, sources: KeySources): KeyRows {
  const ofListed = ([hash, name]: ListedKey) => listedRow(hash, name, sources);
  let rows: readonly KeyRow[] | undefined;
  let makers: ReadonlyMap<string, () => KeyRow> | undefined;
  return {
    all: () =>
      (rows ??= [
        ...config.keys.map((key) => configuredRow(key, sources)),
        ...listedKeys(config, listed, sources).map(ofListed),
      ]),
    named: (name) => {
      makers ??= new Map([
        ...listedKeys(config, listed, sources).map((key) => [key[1].name, () => ofListed(key)] as const),
        ...config.keys.map((key) => [key.name, () => configuredRow(key, sources)] as const),
      ]);
      return makers.get(name)?.();
    },
  };
}

type ListedKey = readonly [hash: string, name: ListedName];

/** The keys that only a list shows. A configured key has its own row, here or at another shard. */
function listedKeys(
  { keys, discovery, part }: KeysConfig,
  listed: ListedNames,
  { readings }: KeySources,
): readonly ListedKey[] {
  if (!discovery) return [];
  const configured = new Set([...keys, ...(part?.elsewhere ?? [])].map(({ name }) => name));
  return discovery.workspaces.flatMap((workspace) =>
    [...(listed.get(workspace ?? "default") ?? [])].filter(
      ([hash, { name }]) => !configured.has(name) && readings.status(targetId("listed", hash)) !== undefined,
    ),
  );
}

function listedRow(hash: string, { name, owner }: ListedName, sources: KeySources): KeyRow {
  const id = targetId("listed", hash);
  return rowOf({ id, name, owner }, sources, sources.readings.shown(id), "isListed");
}

/**
 * While the polls of a key have no current answer, its figures are those of a list of the account, as in
 * `/metrics`.
 */
function configuredRow({ name, owner }: KeyConfig, sources: KeySources): KeyRow {
  const id = targetId("key", name);
  const polled = sources.readings.shown(id);
  if (polled?.value?.kind === "key") return rowOf({ id, name, owner }, sources, polled);
  const listed = sources.readings.shown(targetId("behind", name));
  const isFromList = listed?.value?.kind === "key";
  return rowOf({ id, name, owner }, sources, listed, isFromList ? "isFromList" : undefined);
}

/** One object for each key, which is filled in place: a page has many thousand of them. */
function rowOf(
  { id, name, owner }: Pick<KeyRow, "id" | "name" | "owner">,
  { readings, forecasts, nowMs }: KeySources,
  shown: ShownReading | undefined,
  origin?: "isListed" | "isFromList",
): KeyRow {
  const status = readings.status(id);
  const row: FilledRow = {
    id,
    owner,
    name,
    state: stateOf(status),
    failure: status?.failure,
    lastSuccessMs: status?.lastSuccessMs,
    warning: status?.warning,
    limit: undefined,
    isLimitMirrored: undefined,
    remaining: undefined,
    reset: undefined,
    layers: undefined,
    nextResetMs: undefined,
    day: undefined,
    week: undefined,
    month: undefined,
    total: undefined,
    byok: undefined,
    expiryMs: undefined,
    isDisabled: false,
    danger: undefined,
    isListed: origin === "isListed",
    isFromList: origin === "isFromList",
    forecast: forecasts.of(id),
  };
  if (shown?.value?.kind === "key") {
    fillLimit(row, shown.value, shown);
    fillSpend(row, shown.value, shown);
    row.isDisabled = row.isListed === true && shown.value.isDisabled === true;
  }
  row.danger = dangerOf(row, nowMs);
  return row;
}

type FilledRow = { -readonly [Field in keyof KeyRow]: KeyRow[Field] };

function fillLimit(row: FilledRow, value: KeyReading, shown: ShownReading): void {
  const { limitCredits, limitReset, limitWindow } = value;
  row.limit = limitCredits === null ? "unlimited" : limitCredits;
  row.isLimitMirrored = value.isLimitMirrored;
  row.reset = limitReset;
  row.expiryMs = value.expiresAtMs;
  row.layers = value.layers?.filter(({ window }) => window === undefined || shown.shows(window));
  if (limitCredits === null || (limitWindow && !shown.shows(limitWindow))) return;
  row.remaining = value.remainingCredits ?? undefined;
  if (limitReset !== undefined && limitReset !== "other") row.nextResetMs = limitWindow?.endMs;
}

function fillSpend(row: FilledRow, { usage, byokUsage }: KeyReading, shown: ShownReading): void {
  const shows = (kind: WindowKind) => shown.shows(windowAt(kind, shown.requestedAtMs));
  const [isOfDay, isOfMonth] = [shows("day"), shows("month")];
  if (isOfDay) row.day = usage.day;
  if (shows("week")) row.week = usage.week;
  if (isOfMonth) row.month = usage.month;
  row.total = usage.total;
  row.byok = byokUsage && {
    day: isOfDay ? byokUsage.day : undefined,
    month: isOfMonth ? byokUsage.month : undefined,
    total: byokUsage.total,
  };
}
