import { labelsOf } from "../readings/key-labels.ts";
import type { HistoryReading, ListedNames, Reading } from "../readings/reading.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import { MINUTE_MS, BUCKET_MS } from "../time/window.ts";
import type { Forecaster } from "./forecaster.ts";

/** What waits for the gateway's history. */
export interface Unseeded {
  readonly kind: "key" | "credits";
  readonly hash: string | undefined;
  readonly forecaster: Pick<Forecaster, "seed">;
  readonly layers?: Pick<Forecaster, "seed"> | undefined;
  /** When the first reading was requested. */
  readonly sinceMs: number;
  /** When the last gap of its readings ended; 0: there was none. */
  readonly gapMs: number;
  /** Until when its forecast stays the same; 0: it may have changed. */
  sameUntilMs: number;
}

/** The account's own view of its keys. */
export interface HistorySource {
  readonly listed: () => ListedNames;
  /** Whether the gateway is asked for its history. */
  readonly isAsked: () => boolean;
}

/** Gives the gateway's history to forecasters. The list of keys, the history and the keys themselves come in any order. */
export interface Seeding {
  stored(id: TargetId, value: Reading["value"]): void;
  add(limit: Unseeded): void;
  remove(limit: Unseeded): void;
  /** Once before each view. */
  seed(): void;
  /** Whether the limit waits for a history. Meanwhile, what was said before a restart stays with Prometheus. */
  awaits(limit: Unseeded, nowMs: number): boolean;
}

export function createSeeding({ listed, isAsked }: HistorySource): Seeding {
  const unseeded = new Set<Unseeded>();
  const histories = new Map<TargetId, HistoryReading>();
  /** Whether something has come that may help. */
  let isSeedable = false;

  return {
    stored: (id, value) => {
      if (value?.kind === "history") histories.set(id, value);
      isSeedable ||= value?.kind === "history" || id.startsWith("discovery/");
    },
    add: (limit) => {
      unseeded.add(limit);
      isSeedable = true;
    },
    remove: (limit) => unseeded.delete(limit),
    awaits: (limit, nowMs) =>
      isAsked() &&
      nowMs - limit.sinceMs < AWAITED_MS &&
      unseeded.has(limit) &&
      !histories.has(limit.kind === "key" ? OF_KEYS : OF_ACCOUNT),
    seed: () => {
      if (!isSeedable || unseeded.size === 0) return;
      isSeedable = false;
      const [week, account] = [histories.get(OF_KEYS), histories.get(OF_ACCOUNT)];
      const past = week && pastOfKeys(week, listed());
      for (const limit of unseeded) {
        const history = limit.kind === "key" ? week : account;
        if (!history || history.dataMs < limit.gapMs) continue;
        const hours = limit.kind === "key" ? past?.get(limit.hash ?? "") : pastOfAccount(history);
        if (!hours) continue;
        unseeded.delete(limit);
        limit.forecaster.seed(hours, history.dataMs);
        limit.layers?.seed(hours, history.dataMs);
        limit.sameUntilMs = 0;
      }
    },
  };
}

/** The history is the first thing that is asked for. */
const AWAITED_MS = 2 * MINUTE_MS;

const OF_KEYS = targetId("history", "key-week");
const OF_ACCOUNT = targetId("history", "total-hour");

/** What was spent in one hour. */
interface Hour {
  readonly startMs: number;
  readonly credits: number;
}

/**
 * The hours of each key in the gateway's history, by the hash of the key, from the first in which something was spent. The history has
 * the names that keys have at the gateway: the spend of a name that several keys have belongs to none.
 */
function pastOfKeys(history: HistoryReading, listed: ListedNames): ReadonlyMap<string, readonly Hour[]> {
  const { names, isLeast } = history;
  if (isLeast) return new Map();
  const labels = labelsOf(listed);
  const all = [...listed.values()].flatMap((keys) => [...keys]);
  return new Map(
    all.flatMap(([hash, { label }]) => {
      const hours = labels.isShared(label) ? undefined : hoursOf(history, names.get(label));
      return hours ? [[hash, hours] as const] : [];
    }),
  );
}

/** The hours of the account. Its spend has one entry, because it is not divided. */
function pastOfAccount(history: HistoryReading): readonly Hour[] | undefined {
  return history.isLeast ? undefined : hoursOf(history, [...history.names.values()][0]);
}

/** From the first hour in which something was spent; undefined: there is none. */
function hoursOf({ startMs }: HistoryReading, amounts: readonly number[] = []): readonly Hour[] | undefined {
  const first = amounts.findIndex((credits) => credits > 0);
  const hours = amounts.map((credits, index) => ({ startMs: startMs + index * BUCKET_MS.hour, credits }));
  return first === -1 ? undefined : hours.slice(first);
}
