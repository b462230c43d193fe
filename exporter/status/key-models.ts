import type { Config } from "../config/config.ts";
import { decimalRest } from "../metrics/decimal-sum.ts";
import { asksKeySpend, type KeySpends, type UsageReading } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { KeyNames, OwnFigures, SpendUnderName } from "./key-names.ts";
import { OTHER, type QueryRow, targetRow } from "./target-rows.ts";

/** The spend by key and model; the windows that no query asks for are left out. */
export interface KeyModelsSource {
  /**
   * Today and this month of a key, with a model in place of a pair; with its own figures, which show whether it spent
   * nothing. Empty: the key has no name of its own at the gateway.
   */
  of(key: OwnFigures): readonly QueryRow[];
  /** The keys that spend on a model, by their names at the gateway in place of a model. */
  keysOf(model: string): readonly QueryRow[];
}

type Figures = Pick<QueryRow, "credits" | "isLeast" | "pairs">;

/** Undefined: no query asks for the spend by key and model. */
export function createKeyModels(
  config: Pick<Config, "analytics">,
  readings: ReadingSource,
  names: KeyNames,
): KeyModelsSource | undefined {
  const asked = askedWindows(config);
  if (asked.length === 0) return undefined;
  const rowOf = ({ window, id }: AskedWindow, figures: (spends: KeySpends) => Figures): QueryRow => {
    const row = { ...targetRow(window, readings.status(id)), pairs: [] };
    const usage = shownUsage(readings, id);
    if (!usage) return row;
    const { dataMs, range, keySpends } = usage;
    return { ...row, dataMs, windowStartMs: range.startMs, ...(keySpends && figures(keySpends)) };
  };
  return {
    of: (key) => {
      const { label, isShared } = names.of(key);
      if (!label || isShared) return [];
      return asked.map((each) => rowOf(each, (spends) => figuresOf(label, spends, key[each.window])));
    },
    keysOf: (model) => asked.map((each) => rowOf(each, (spends) => ({ pairs: keysWith(model, spends) }))),
  };
}

/** What the answers by key and model report under a name. */
export function keySpendsUnder(
  label: string,
  config: Pick<Config, "analytics">,
  readings: ReadingSource,
): readonly SpendUnderName[] {
  return askedWindows(config).flatMap(({ window, id }) => {
    const usage = shownUsage(readings, id);
    return usage
      ? { window, credits: usage.keySpends?.keys.get(label)?.credits ?? 0, dataMs: usage.dataMs }
      : [];
  });
}

interface AskedWindow {
  readonly window: "day" | "month";
  readonly id: TargetId;
}

function askedWindows({ analytics }: Pick<Config, "analytics">): readonly AskedWindow[] {
  return (["day", "month"] as const).flatMap((window) => {
    const query = analytics?.queries.find((each) => each.window === window && asksKeySpend(each));
    return query ? { window, id: targetId("analytics", query.name) } : [];
  });
}

function shownUsage(readings: ReadingSource, id: TargetId): UsageReading | undefined {
  const shown = readings.shown(id);
  return shown?.value?.kind === "usage" && shown.shows(shown.value.window) ? shown.value : undefined;
}

function keysWith(model: string, { keys }: KeySpends): QueryRow["pairs"] {
  return [...keys]
    .flatMap(([label, { models }]) => {
      const credits = models.find((each) => each.model === model)?.credits;
      return credits === undefined ? [] : { model: label, app: "", credits };
    })
    .toSorted((one, other) => other.credits - one.credits);
}

/** A key that the answer does not name spent nothing only if it reports that itself. */
function figuresOf(label: string, { keys, hasAllRows }: KeySpends, own: number | undefined): Figures {
  const spend = keys.get(label);
  const isKnown = spend ? spend.credits !== 0 || !own : hasAllRows && own === 0;
  if (!isKnown) return { pairs: [] };
  if (!spend) return { credits: 0, pairs: [] };
  const pairs = spend.models.flatMap(({ model, credits }) =>
    credits === undefined ? [] : { model, app: "", credits },
  );
  const named = pairs.map(({ credits }) => credits);
  const rest = spend.credits === undefined ? 0 : decimalRest(spend.credits, named);
  return {
    credits: spend.credits,
    isLeast: !hasAllRows || !spend.isComplete,
    pairs: rest === 0 ? pairs : [...pairs, { ...OTHER, credits: rest }],
  };
}
