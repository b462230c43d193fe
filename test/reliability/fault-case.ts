import type { FailureReason } from "../../exporter/gateway/errors.ts";
import { seriesName, type SeriesMap } from "../support/series.ts";
import type { Certificate, Fault, FaultyGateway } from "./faulty-gateway.ts";

/** One row of the matrix: the fault, and its required effect on either side. */
export interface FaultCase {
  readonly title: string;
  readonly fault?: Fault;
  readonly key: Outcome;
  readonly analytics: Outcome;
  /** The effect of an accepted answer, for the reader of the table. */
  readonly note?: string;
  /** The retry-after of the gateway. */
  readonly hintMs?: number;
  /** The answer never ends, so each request lasts until its timeout. */
  readonly isEndless?: true;
  /** A fault of the transport, which affects every request. */
  readonly wholeGateway?: WholeGateway;
  /** The maximum number of bytes that the gateway may manage to send. */
  readonly mostSentBytes?: number;
}

export interface WholeGateway {
  begin(gateway: FaultyGateway): void;
  end(gateway: FaultyGateway): void;
  /** The certificate with which the gateway serves TLS. */
  readonly certificate?: Certificate;
}

/** A failed poll, or the series of this revision's correct answer with these changes. */
export type Outcome =
  | { readonly reason: FailureReason }
  /** `isPartial`: a part of the answer, or all of it, is not shown, and the log has a warning. */
  | { readonly shown: Change; readonly isPartial?: true };

export type Change = (right: SeriesMap) => SeriesMap;

/** The same on both sides. */
export function failing(reason: FailureReason): Pick<FaultCase, "key" | "analytics"> {
  return { key: { reason }, analytics: { reason } };
}

/** The answer is correct in every field that is read. */
export const asRight: Outcome = { shown: (right) => right };

/** Other values for some series; undefined: none. */
export function shownWith(changes: Readonly<Record<string, number | undefined>>): Outcome {
  return {
    shown: (right) => {
      const changed = new Map(right);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined) changed.delete(name);
        else changed.set(name, value);
      }
      return changed;
    },
  };
}

/** The series of one pair of model and app have other labels. */
export function relabelled(right: SeriesMap, pair: Pair, labels: Pair): SeriesMap {
  const names = new Map(
    METRICS.map((metric) => [seriesName(metric, { ...pair }), seriesName(metric, { ...labels })]),
  );
  return new Map([...right].map(([name, value]) => [names.get(name) ?? name, value]));
}

interface Pair {
  readonly model: string;
  readonly app: string;
}

const METRICS = [
  "credits",
  "requests",
  "tokens",
  "prompt_tokens",
  "completion_tokens",
  "reasoning_tokens",
].map((metric) => `aigateway_usage_day_${metric}`);
