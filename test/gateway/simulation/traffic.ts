import type { Route } from "../entities.ts";
import { type Figures, type Ledger, noFigures } from "../ledger.ts";
import { admittedRequests } from "../limits.ts";
import { chance, intensity, type ShapeName } from "../random.ts";
import type { Switches } from "../switches.ts";
import { dayStart, HOUR, MINUTE } from "../windows.ts";

/** One steady stream of traffic: a route, its rate, and the properties of one request. */
export type Lane = {
  readonly route: Route;
  readonly shape: ShapeName;
  readonly requestsPerHour: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningShare: number;
  readonly cachedShare: number;
  /** Micro-credits per 1000 tokens. */
  readonly promptPrice: number;
  readonly completionPrice: number;
  /** Paid outside the gateway, with the caller's own provider key. */
  readonly byok: boolean;
  readonly latencyMs: number;
};

export type TrafficOptions = {
  readonly seed: number;
  readonly startAt: number;
  readonly historyDays: number;
  /** The length of a slot of history; live traffic uses minutes. */
  readonly historySlotMs: number;
};

export type Traffic = ReturnType<typeof createTraffic>;

/**
 * Traffic in whole slots at fixed times. Each slot depends only on seed, lane and slot, so it does not matter
 * how often or how far the clock moves. A slot is created when it begins; each of its entries becomes visible
 * at its own time within the slot.
 */
export function createTraffic(
  ledger: Ledger,
  switches: Switches,
  lanes: readonly Lane[],
  options: TrafficOptions,
) {
  const liveFrom = Math.floor(options.startAt / HOUR) * HOUR;
  let cursor = dayStart(liveFrom - options.historyDays * 24 * HOUR);
  if (options.historyDays === 0) cursor = liveFrom;

  function advanceTo(at: number): void {
    if (lanes.length === 0) return;
    while (cursor <= at) {
      const length = cursor < liveFrom ? Math.min(options.historySlotMs, liveFrom - cursor) : MINUTE;
      for (const [index, lane] of lanes.entries()) runLane(lane, index, cursor, length);
      cursor += length;
    }
  }

  function runLane(lane: Lane, index: number, start: number, lengthMs: number): void {
    const { seed } = options;
    const slot = start / MINUTE;
    const hours = lengthMs / HOUR;
    const expected = lane.requestsPerHour * hours * intensity(lane.shape, start, seed, index);
    const requests = Math.floor(expected + chance(seed + 10, index, slot));
    if (requests === 0) return;
    const variation = 0.7 + 0.6 * chance(seed + 20, index, slot);
    const at = start + Math.floor(chance(seed + 30, index, slot) * lengthMs);
    const figures = figuresOf(lane, requests, variation);
    const admitted = admittedRequests(ledger, {
      ...figures,
      key: lane.route.key,
      model: lane.route.model,
      at,
    });
    if (admitted === 0) return;
    const entry = {
      ...(admitted === requests ? figures : figuresOf(lane, admitted, variation)),
      at,
      route: lane.route,
    };
    ledger.post(entry);
    const isGivenBack = switches.discounts && chance(seed + 60, index, slot) < 0.05;
    if (isGivenBack && entry.micros > 0)
      ledger.post({ ...noFigures, micros: -Math.ceil(entry.micros / 2), at, route: lane.route });
  }

  return { advanceTo };
}

/** Cached prompt tokens cost a tenth. */
const CACHED_DISCOUNT = 0.9;

function figuresOf(lane: Lane, requests: number, variation: number): Figures {
  const promptTokens = Math.round(requests * lane.promptTokens * variation);
  const completionTokens = Math.round(requests * lane.completionTokens * variation);
  const cachedTokens = Math.floor(promptTokens * lane.cachedShare);
  const paidPrompt = promptTokens - CACHED_DISCOUNT * cachedTokens;
  const cost = Math.round((paidPrompt * lane.promptPrice + completionTokens * lane.completionPrice) / 1000);
  return {
    ...noFigures,
    micros: lane.byok ? 0 : cost,
    byokMicros: lane.byok ? cost : 0,
    cacheMicros: lane.byok ? 0 : -Math.round((CACHED_DISCOUNT * cachedTokens * lane.promptPrice) / 1000),
    requests,
    byokRequests: lane.byok ? requests : 0,
    promptTokens,
    completionTokens,
    reasoningTokens: Math.floor(completionTokens * lane.reasoningShare),
    cachedTokens,
    latencyMs: Math.round(requests * lane.latencyMs * variation),
  };
}
