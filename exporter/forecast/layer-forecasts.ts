import type { Spend } from "../gateway/account.ts";
import type { KeyLayer } from "../readings/reading.ts";
import type { TargetId } from "../readings/target-id.ts";
import { MINUTE_MS, isSameWindow, SETTLE_MS, WINDOW_KINDS, windowAt } from "../time/window.ts";
import { type Forecast, Forecaster, type LimitReading } from "./forecaster.ts";

/** A budget layer and how long it lasts, by what is counted against it. */
export interface LayerForecast {
  readonly layer: KeyLayer;
  readonly forecast: Forecast;
}

/** Forecasts when budget layers are used up: those of one key, or those that several keys share. */
export interface LayerForecasts extends Pick<Forecaster, "seed"> {
  /** Takes the layers of an answer about a key, and what it spends if that is all that they count. Returns whether a layer is new. */
  read(layers: readonly KeyLayer[], key: TargetId, atMs: number, spend?: KeySpend): boolean;
  /** The key is gone: a layer is not shown until another one speaks for it. */
  forgotten(key: TargetId): void;
  at(nowMs: number): readonly LayerForecast[];
  /** The same of some of them. */
  of(layers: readonly KeyLayer[], nowMs: number): readonly LayerForecast[];
}

/** What one key has spent in the current UTC windows. */
export interface KeySpend {
  readonly usage: Omit<Spend, "total">;
  /** Whether its own provider keys (BYOK) paid for any of its use. */
  readonly hasByok: boolean;
}

/** A layer that no answer has had for `keptMs` is forgotten. */
export function createLayerForecasts(keptMs: number): LayerForecasts {
  const known = new Map<string, Course>();
  return {
    read: (layers, key, atMs, spend) => {
      const isNew = layers.some((layer) => !known.has(idOf(layer)));
      for (const layer of layers) {
        const id = idOf(layer);
        const course = known.get(id) ?? newCourse(layer);
        known.set(id, course);
        follow(course, layer, key, atMs, spend);
      }
      for (const [id, course] of known) if (atMs - course.atMs > keptMs) known.delete(id);
      return isNew;
    },
    forgotten: (key) => {
      for (const course of known.values()) if (course.key === key) course.key = undefined;
    },
    // The history does not have what other providers charge.
    seed: (hours, untilMs) => {
      for (const { forecaster, countsByok } of known.values())
        if (!countsByok) forecaster.seed(hours, untilMs);
    },
    at: (nowMs) => [...known.values()].flatMap((course) => forecastOf(course, nowMs)),
    of: (layers, nowMs) =>
      layers.flatMap((layer) => {
        const course = known.get(idOf(layer));
        return course ? forecastOf(course, nowMs) : [];
      }),
  };
}

function idOf({ source, sharedId }: KeyLayer): string {
  return JSON.stringify([source, sharedId]);
}

function forecastOf({ layer, forecaster, key }: Course, nowMs: number): readonly LayerForecast[] {
  const forecast = key === undefined ? undefined : forecaster.at(nowMs);
  return forecast ? [{ layer, forecast }] : [];
}

interface Course {
  readonly forecaster: Forecaster;
  layer: KeyLayer;
  /** What is counted restarts with each window, but a course needs a running total. */
  total: number;
  /** The key that speaks for the layer, because the answers about several may differ by some seconds. */
  key: TargetId | undefined;
  atMs: number;
  /** Whether use that other providers charge is in it. */
  countsByok: boolean;
}

function newCourse(layer: KeyLayer): Course {
  const forecaster = new Forecaster("key");
  return { forecaster, layer, total: 0, key: undefined, atMs: 0, countsByok: false };
}

/** Another key speaks if the one before is gone or silent. */
function follow(course: Course, layer: KeyLayer, key: TargetId, atMs: number, spend?: KeySpend): void {
  const isSilent = course.key === undefined || atMs - course.atMs > SILENT_MS;
  if (course.key !== key && !isSilent) return;
  course.total += spentSince(course.layer, layer, atMs);
  Object.assign(course, { layer, key, atMs, countsByok: layer.includesByok === true && spend?.hasByok });
  course.forecaster.read(limitReading(layer, course.total, atMs, spend?.usage));
}

const SILENT_MS = 10 * MINUTE_MS;

/** Shortly after a reset, an answer may still be about the window before, whose spend is no spend of the new one. */
function spentSince(before: KeyLayer, now: KeyLayer, atMs: number): number {
  const [spent = 0, earlier = 0] = [spentOf(now), spentOf(before)];
  if (before.window?.endMs === now.window?.endMs) return Math.max(spent - earlier, 0);
  const isSettled = now.window === undefined || atMs >= now.window.startMs + 2 * SETTLE_MS;
  return isSettled ? Math.max(spent, 0) : 0;
}

function spentOf({ limitCredits, spentCredits, remainingCredits }: KeyLayer): number | undefined {
  if (spentCredits !== undefined || limitCredits === undefined || remainingCredits === undefined)
    return spentCredits;
  return limitCredits - remainingCredits;
}

function limitReading(
  layer: KeyLayer,
  total: number,
  atMs: number,
  usage: Partial<KeySpend["usage"]> = {},
): LimitReading {
  const { limitCredits, remainingCredits, nextResetMs, window } = layer;
  const spent = spentOf(layer);
  const isKnown = nextResetMs !== undefined && window !== undefined;
  const kind = isKnown ? WINDOW_KINDS.find((each) => isSameWindow(windowAt(each, atMs), window)) : undefined;
  return {
    atMs,
    usedCredits: spent === undefined ? undefined : total,
    limitCredits,
    remainingCredits,
    nextResetMs: nextResetMs ?? (window ? undefined : "never"),
    window: kind,
    usedToday: kind === "day" ? spent : usage.day,
    usedThisWeek: kind === "week" ? spent : usage.week,
    usedThisMonth: kind === "month" ? spent : usage.month,
  };
}
