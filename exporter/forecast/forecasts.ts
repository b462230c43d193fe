import { type Sample, sample } from "../metrics/family.ts";
import { LOW_SHARE } from "../metrics/thresholds.ts";
import type { Packing, Follower } from "../readings/readings.ts";
import type { CreditsReading, KeyLayer, KeyReading, Reading } from "../readings/reading.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { HOUR_MS, MINUTE_MS, isSettled, type Window, windowAt } from "../time/window.ts";
import { forecastFamilies as families } from "./families.ts";
import { type Forecast, Forecaster, type LimitReading } from "./forecaster.ts";
import { forecastSamples, validUntil } from "./forecast-samples.ts";
import { type Bound, firstToEnd, resetWindow } from "./headline.ts";
import { createLayerForecasts, type LayerForecast, type LayerForecasts } from "./layer-forecasts.ts";
import { limitReading } from "./limit-reading.ts";
import { type Outlook, URGENCY } from "./outlook.ts";
import { createSeeding, type HistorySource, type Unseeded } from "./seeding.ts";
import { thresholds } from "./thresholds.ts";

/** The forecasts of all keys and of the account, from the readings as they are stored. */
export interface Forecasts<Packed> extends Follower<Packed> {
  /** Undefined: there is no reading of the target yet, or the gateway's history is awaited. */
  of(id: TargetId): Forecast | undefined;
  /** The forecast of a balance that has no target. The course belongs to the id. Without a new reading it is the former one. */
  ofBalance(id: TargetId, reading: LimitReading | undefined): Forecast | undefined;
  /** Another gateway is polled, whose totals continue no course, even if it has the same keys. */
  restart(): void;
}

/** A course belongs to a key, whatever its name is: it is told apart by the hash of its secret. */
export function createForecasts<Packed>(
  clock: Pick<Clock, "now">,
  { empty, pack }: Pick<Packing<Packed>, "empty" | "pack">,
  source: HistorySource,
): Forecasts<Packed> {
  const limits = new Map<TargetId, Limit<Packed>>();
  /** Forecasters of targets that are gone, by the hash of the key, which may come back under another name. */
  const former = new Map<string, Pick<Limit<Packed>, "forecaster" | "layers" | "readMs">>();

  /** The budgets that several keys share. */
  let shared = createLayerForecasts(thresholds.unheard);
  const balances = new Map<TargetId, Forecaster>();
  let seeding = createSeeding(source);
  let account: Limit<Packed> | undefined;

  function forgotten(id: TargetId): void {
    shared.forgotten(id);
    const limit = limits.get(id);
    if (!limit) return;
    limits.delete(id);
    if (limit === account) account = undefined;
    seeding.remove(limit);
    limit.layers?.forgotten(id);
    for (const [hash, { readMs }] of former) if (clock.now() - readMs > HOUR_MS) former.delete(hash);
    if (limit.hash !== undefined) former.set(limit.hash, limit);
  }

  function keptOf(hash: string | undefined, atMs: number) {
    if (hash === undefined) return undefined;
    const kept = former.get(hash);
    former.delete(hash);
    return kept && atMs > kept.readMs - MOST_BACK_MS ? kept : undefined;
  }

  function limitOf(id: TargetId, value: KeyReading | CreditsReading, atMs: number): Limit<Packed> {
    const known = limits.get(id);
    const { name = "", hash } = value.kind === "key" ? (value.shownAs ?? {}) : {};
    const isKnown = known?.hash === hash && known?.name === name;
    // A clock that was fast and is right again has spoilt the course.
    if (known && isKnown && atMs > known.readMs - MOST_BACK_MS) return known;
    forgotten(id);
    const kept = keptOf(hash, atMs);
    const { forecaster, layers } = kept ?? newForecasters(value.kind);
    const about = { kind: value.kind, name, hash, sinceMs: atMs, readMs: atMs };
    const limit: Limit<Packed> = { ...NEW_LIMIT, ...about, forecaster, layers, block: empty };
    limits.set(id, limit);
    if (value.kind === "credits") account = limit;
    if (!kept && hasHistory(value)) seeding.add(limit);
    return limit;
  }

  function said(limit: Limit<Packed>): Said | undefined {
    const now = saidOf(limit, shared, limit === account ? undefined : account?.forecaster, clock.now());
    return now && !CERTAIN.has(now.own.outlook) && seeding.awaits(limit, clock.now()) ? undefined : now;
  }

  function refresh(limit: Limit<Packed>): Packed {
    const [nowMs, { untilMs }] = [clock.now(), limit.forecaster];
    const bound = account?.forecaster.at(nowMs);
    // Of many thousand limits, few have changed since the last view.
    if (nowMs < limit.sameUntilMs && bound === limit.bound) return limit.block;
    const now = said(limit);
    // What is unknown by now is not for good: the clock may be set back.
    const isSteady = now && nowMs < untilMs && !limit.layers && limit.shared.length === 0;
    limit.sameUntilMs = isSteady ? untilMs : 0;
    limit.bound = bound;
    const parts = partsOf(limit, now);
    if (isSame(parts, limit.parts)) return limit.block;
    limit.parts = parts;
    limit.block = pack(now ? samplesOf(limit, now) : [], limit.block);
    return limit.block;
  }

  return {
    stored: (id, { value, requestedAtMs: atMs, asOfMs }) => {
      seeding.stored(id, value);
      if (!isJudged(value, asOfMs)) return;
      const limit = limitOf(id, value, atMs);
      const isAfterGap = atMs - limit.readMs > HOUR_MS;
      if (isAfterGap) limit.gapMs = atMs;
      const hasNewLayer = read(limit, shared, value, { id, atMs });
      if ((isAfterGap || hasNewLayer) && hasHistory(value)) seeding.add(limit);
      limit.sameUntilMs = 0;
      // Not all at once when they are shown.
      refresh(limit);
    },
    forgotten,
    blocks: () => {
      seeding.seed();
      const pooled = shared.at(clock.now()).flatMap(sharedSamples);
      return [...Array.from(limits.values(), refresh), ...(pooled.length > 0 ? [pack(pooled)] : [])];
    },
    of: (id) => {
      const limit = limits.get(id);
      const now = limit && said(limit);
      return now && headline(now);
    },
    ofBalance: (id, reading) => {
      const forecaster = balances.get(id) ?? new Forecaster("account");
      balances.set(id, forecaster);
      if (reading) forecaster.read(reading);
      return forecaster.at(clock.now());
    },
    restart: () => {
      for (const known of [limits, former, balances]) known.clear();
      shared = createLayerForecasts(thresholds.unheard);
      seeding = createSeeding(source);
      account = undefined;
    },
  };
}

const NEW_LIMIT = {
  team: undefined,
  isLow: false,
  gapMs: 0,
  shared: [],
  parts: [],
  sameUntilMs: 0,
  bound: undefined,
};

function newForecasters(kind: Limit<unknown>["kind"]): Pick<Limit<unknown>, "forecaster" | "layers"> {
  return { forecaster: new Forecaster(kind === "key" ? "key" : "account"), layers: undefined };
}

/** Feeds an answer to the forecasters. Returns whether the key has a new budget of its own. */
function read(
  limit: Limit<unknown>,
  shared: LayerForecasts,
  value: KeyReading | CreditsReading,
  { id, atMs }: { readonly id: TargetId; readonly atMs: number },
): boolean {
  const reading = limitReading(value, atMs);
  limit.readMs = atMs;
  limit.forecaster.read(reading);
  if (value.kind !== "key") return false;
  const { layers = [], isLimitMirrored, limitUsage, usage, byokUsage, shownAs } = value;
  limit.team = shownAs?.team;
  const { limitCredits: own, remainingCredits: left } = reading;
  limit.isLow = Boolean(own && left && left > 0 && left / own < LOW_SHARE);
  limit.window = typeof reading.nextResetMs === "number" ? value.limitWindow : undefined;
  const judged = isLimitMirrored ? "mirrored" : "key_limit";
  limit.judgedLayer = layers.find(({ source }) => source === judged);
  limit.shared = layers.filter(({ sharedId }) => sharedId !== undefined);
  shared.read(limit.shared, id, atMs);
  const others = layers.filter((layer) => layer !== limit.judgedLayer && layer.sharedId === undefined);
  if (others.length > 0) limit.layers ??= createLayerForecasts(HOUR_MS);
  const spend = { usage: limitUsage ?? usage, hasByok: byokUsage !== undefined };
  return limit.layers?.read(others, id, atMs, spend) ?? false;
}

/** Shortly after midnight, an answer may still be about yesterday. */
function isJudged(value: Reading["value"], asOfMs: number): value is KeyReading | CreditsReading {
  if (value?.kind !== "key") return value?.kind === "credits";
  return value.shownAs !== undefined && isSettled(windowAt("day", asOfMs), asOfMs);
}

/** The gateway's history of keys does not have what other providers charge (BYOK), if they charge anything. */
function hasHistory(value: KeyReading | CreditsReading): boolean {
  return value.kind === "credits" || !value.limitUsage || !value.byokUsage;
}

/** What the history cannot change. */
const CERTAIN: ReadonlySet<Outlook> = new Set(["exhausted", "unlimited", "unknown"]);

/** Smaller steps of the clock only delay the next reading. */
const MOST_BACK_MS = 5 * MINUTE_MS;

interface Limit<Packed> extends Unseeded {
  /** The label `key`. */
  readonly name: string;
  /** The label `team`. */
  team: string | undefined;
  /** Whether little of the key's own limit is left. */
  isLow: boolean;
  readonly forecaster: Forecaster;
  /** When the newest reading was requested. */
  readMs: number;
  gapMs: number;
  /** Ends when the limit resets. */
  window?: Window | undefined;
  /** The layer that the forecaster judges; undefined: there is no other one. */
  judgedLayer?: KeyLayer | undefined;
  /** The others that bind the key alone. */
  layers: LayerForecasts | undefined;
  /** Those that bind others as well. */
  shared: readonly KeyLayer[];
  /** What the block shows. */
  parts: readonly Part[];
  block: Packed;
  /** The forecast of the account when the block was made. */
  bound: Forecast | undefined;
}

type Part = Forecast | string | boolean | undefined;

/** A forecast whose reading has become too old is a new object at each call. */
function isOverTwice(one: Part, other: Part): boolean {
  if (typeof one !== "object" || typeof other !== "object") return false;
  return one.outlook === "unknown" && other.outlook === "unknown" && one.asOfMs === other.asOfMs;
}

/** What is said of a limit. */
interface Said {
  readonly own: Forecast;
  /** The budgets that bind the key alone. */
  readonly layers: readonly LayerForecast[];
  readonly first: Bound;
}

function saidOf(
  { forecaster, window, judgedLayer, layers, shared: bindOthers }: Limit<unknown>,
  shared: LayerForecasts,
  account: Forecaster | undefined,
  nowMs: number,
): Said | undefined {
  const own = forecaster.at(nowMs);
  if (!own) return undefined;
  const judged = judgedLayer ? [{ layer: judgedLayer, forecast: own }] : [];
  const ownLayers = [...judged, ...(layers?.at(nowMs) ?? [])];
  const first = firstToEnd({
    own: { forecast: own, window, source: undefined, isShared: false },
    layers: [...ownLayers, ...shared.of(bindOthers, nowMs)],
    account: account?.at(nowMs),
  });
  return { own, layers: ownLayers, first };
}

function partsOf({ team, isLow }: Limit<unknown>, now: Said | undefined): readonly Part[] {
  if (!now) return [];
  return [now.own, now.first.forecast, team, isLow, ...now.layers.map(({ forecast }) => forecast)];
}

function isSame(parts: readonly Part[], before: readonly Part[]): boolean {
  return (
    parts.length === before.length &&
    parts.every((part, index) => part === before[index] || isOverTwice(part, before[index]))
  );
}

/** What is said of a key as a whole: how long the first limit to end lasts, and what the key itself spends. */
function headline({ own, first: { forecast, source, isShared } }: Said): Forecast {
  if (forecast === own || source === undefined) return own;
  const { burn, usualBurn } = own;
  return { ...forecast, burn, usualBurn, source, ...(isShared && { isShared }) };
}

function samplesOf(limit: Limit<unknown>, now: Said): readonly Sample[] {
  if (limit.kind !== "key") return forecastSamples(ACCOUNT, {}, now.own);
  const key = limit.name;
  const { source, window, forecast } = now.first;
  return [
    ...forecastSamples(KEY, { key }, headline(now), window),
    ...(source === undefined ? [] : sample(families.keyOutlookSource, { key, source }, 1, window)),
    ...sample(
      families.keyUrgency,
      { key, team: limit.team ?? "" },
      urgency(limit, now.first),
      validUntil(forecast, window),
    ),
    ...now.layers.flatMap((each) =>
      forecastSamples(LAYER, { key, source: each.layer.source }, each.forecast, resetWindow(each.layer)),
    ),
  ];
}

function urgency({ isLow }: Limit<unknown>, { forecast: { outlook }, isShared }: Bound): number {
  if (isShared || (outlook === "learning" && !isLow)) return 0;
  return URGENCY[outlook];
}

function sharedSamples({ layer, forecast }: LayerForecast): readonly Sample[] {
  const { source, sharedId: id = "" } = layer;
  return forecastSamples(SHARED, { source, id }, forecast, resetWindow(layer));
}

const KEY = {
  outlook: families.keyOutlook,
  exhaustion: families.keyExhaustion,
  burn: families.keyBurn,
  usualBurn: families.keyUsualBurn,
};
const LAYER = { outlook: families.layerOutlook, exhaustion: families.layerExhaustion };
const SHARED = {
  outlook: families.sharedOutlook,
  exhaustion: families.sharedExhaustion,
  burn: families.sharedBurn,
};
const ACCOUNT = {
  outlook: families.accountOutlook,
  exhaustion: families.accountExhaustion,
  burn: families.accountBurn,
};
