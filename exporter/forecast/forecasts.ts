import type { Sample } from "../metrics/family.ts";
import type { Packing, Follower } from "../readings/readings.ts";
import type { ListedNames, CreditsReading, KeyLayer, KeyReading, Reading } from "../readings/reading.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { isSettled, type Window, windowAt } from "../time/window.ts";
import { forecastFamilies as families } from "./families.ts";
import { createForecaster, type Forecast, type Forecaster, type LimitReading } from "./forecaster.ts";
import { forecastSamples } from "./forecast-samples.ts";
import {
  createLayerForecasts,
  firstToEnd,
  type LayerForecast,
  type LayerForecasts,
} from "./layer-forecasts.ts";
import { limitReading } from "./limit-reading.ts";
import { createSeeding, type Unseeded } from "./seeding.ts";
import { HOUR_MS, MINUTE_MS, thresholds } from "./thresholds.ts";

/** The forecasts of all keys and of the account, from the readings as they are stored. */
export interface Forecasts<Packed> extends Follower<Packed> {
  /** Undefined: there is no reading of the target yet. */
  of(id: TargetId): Forecast | undefined;
  /** The forecast of a balance that has no target. The course belongs to the id. Without a new reading it is the former one. */
  ofBalance(id: TargetId, reading: LimitReading | undefined): Forecast | undefined;
}

/** A course belongs to a key, whatever its name is: it is told apart by the hash of its secret. */
export function createForecasts<Packed>(
  clock: Pick<Clock, "now">,
  { empty, pack }: Pick<Packing<Packed>, "empty" | "pack">,
  listed: () => ListedNames,
): Forecasts<Packed> {
  const limits = new Map<TargetId, Limit<Packed>>();
  /** Forecasters of targets that are gone, by the hash of the key, which may come back under another name. */
  const former = new Map<string, Pick<Limit<Packed>, "forecaster" | "layers" | "readMs">>();

  /** The budgets that several keys share. */
  const shared = createLayerForecasts(thresholds.unheard);
  const balances = new Map<TargetId, Forecaster>();
  const seeding = createSeeding(listed);

  function forgotten(id: TargetId): void {
    shared.forgotten(id);
    const limit = limits.get(id);
    if (!limit) return;
    limits.delete(id);
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
    const limit: Limit<Packed> = {
      kind: value.kind,
      name,
      hash,
      forecaster,
      readMs: atMs,
      gapMs: 0,
      layers,
      parts: [],
      block: empty,
    };
    limits.set(id, limit);
    if (!kept && hasHistory(value)) seeding.add(limit);
    return limit;
  }

  function refresh(limit: Limit<Packed>): Packed {
    const layers = limit.layers?.at(clock.now()) ?? [];
    const parts = [limit.forecaster.at(clock.now()), ...layers.map(({ forecast }) => forecast)];
    const isSame = parts.every(
      (part, index) => part === limit.parts[index] || isOverTwice(part, limit.parts[index]),
    );
    if (isSame && parts.length === limit.parts.length) return limit.block;
    limit.parts = parts;
    limit.block = pack(samplesOf(limit, clock.now()), limit.block);
    return limit.block;
  }

  return {
    stored: (id, { value, requestedAtMs: atMs, asOfMs }) => {
      seeding.stored(id, value);
      if (!isJudged(value, asOfMs)) return;
      const limit = limitOf(id, value, atMs);
      const reading = limitReading(value, atMs);
      if (atMs - limit.readMs > HOUR_MS && hasHistory(value)) {
        limit.gapMs = atMs;
        seeding.add(limit);
      }
      limit.readMs = atMs;
      limit.window =
        value.kind === "key" && typeof reading.nextResetMs === "number" ? value.limitWindow : undefined;
      limit.forecaster.read(reading);
      if (value.kind === "key" && value.layers) readLayers(limit, shared, value.layers, id);
    },
    forgotten,
    blocks: () => {
      seeding.seed();
      const pooled = shared.at(clock.now()).flatMap(sharedSamples);
      return [...Array.from(limits.values(), refresh), ...(pooled.length > 0 ? [pack(pooled)] : [])];
    },
    of: (id) => {
      const limit = limits.get(id);
      return limit && headline(limit, clock.now())?.forecast;
    },
    ofBalance: (id, reading) => {
      const forecaster = balances.get(id) ?? createForecaster("account");
      balances.set(id, forecaster);
      if (reading) forecaster.read(reading);
      return forecaster.at(clock.now());
    },
  };
}

function newForecasters(kind: Limit<unknown>["kind"]): Pick<Limit<unknown>, "forecaster" | "layers"> {
  return { forecaster: createForecaster(kind === "key" ? "key" : "account"), layers: undefined };
}

/** `shared`: takes those that the key shares with others. */
function readLayers(
  limit: Limit<unknown>,
  shared: LayerForecasts,
  layers: readonly KeyLayer[],
  id: TargetId,
): void {
  const [own, others] = [layers.filter(isOwn), layers.filter((layer) => !isOwn(layer))];
  if (own.length > 0) limit.layers ??= createLayerForecasts(HOUR_MS);
  limit.layers?.read(own, id, limit.readMs);
  shared.read(others, id, limit.readMs);
}

function isOwn({ sharedId }: KeyLayer): boolean {
  return sharedId === undefined;
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

/** Smaller steps of the clock only delay the next reading. */
const MOST_BACK_MS = 5 * MINUTE_MS;

interface Limit<Packed> extends Unseeded {
  /** The label `key`. */
  readonly name: string;
  readonly forecaster: Forecaster;
  /** When the newest reading was requested. */
  readMs: number;
  gapMs: number;
  /** Ends when the limit resets. */
  window?: Window | undefined;
  /** The budgets that bind the key alone; undefined: its own limit is the only one. */
  layers: LayerForecasts | undefined;
  /** What the block shows. */
  parts: readonly (Forecast | undefined)[];
  block: Packed;
}

/** A forecast whose reading has become too old is a new object at each call. */
function isOverTwice(one: Forecast | undefined, other: Forecast | undefined): boolean {
  return one?.outlook === "unknown" && other?.outlook === "unknown" && one.asOfMs === other.asOfMs;
}

/** What is said of a key as a whole: how long the layer lasts that ends first, and what the key itself spends. */
function headline(
  { forecaster, layers, window }: Limit<unknown>,
  nowMs: number,
): { readonly forecast: Forecast; readonly window: Window | undefined } | undefined {
  const own = forecaster.at(nowMs);
  const first = firstToEnd(layers?.at(nowMs) ?? []);
  if (!first || !own) return own && { forecast: own, window };
  const forecast = { ...first.forecast, burn: own.burn, source: first.layer.source };
  return { forecast, window: resetWindow(first) };
}

function samplesOf(limit: Limit<unknown>, nowMs: number): readonly Sample[] {
  const said = headline(limit, nowMs);
  if (!said) return [];
  if (limit.kind !== "key") return forecastSamples(ACCOUNT, {}, said.forecast);
  const key = limit.name;
  return [
    ...forecastSamples(KEY, { key }, said.forecast, said.window),
    ...(limit.layers?.at(nowMs) ?? []).flatMap((each) =>
      forecastSamples(LAYER, { key, source: each.layer.source }, each.forecast, resetWindow(each)),
    ),
  ];
}

function sharedSamples(each: LayerForecast): readonly Sample[] {
  const { source, sharedId: id = "" } = each.layer;
  return forecastSamples(SHARED, { source, id }, each.forecast, resetWindow(each));
}

/** Ends when the layer resets; undefined: it does not, or that is not known. */
function resetWindow({ layer: { nextResetMs, window } }: LayerForecast): Window | undefined {
  return nextResetMs === undefined ? undefined : window;
}

const KEY = { outlook: families.keyOutlook, exhaustion: families.keyExhaustion, burn: families.keyBurn };
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
