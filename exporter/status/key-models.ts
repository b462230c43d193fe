import type { Config } from "../config/config.ts";
import { decimalRest } from "../metrics/decimal-sum.ts";
import { asksKeySpend, type KeySpends } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import type { KeyLabels } from "../readings/key-labels.ts";
import { type KeyRow, OTHER, type QueryRow, targetRow } from "./target-rows.ts";

/** What a key spends by model, by the name that the gateway has for it. */
export interface KeyModels {
  /** The name of the key at the gateway. Empty if it has none; undefined: no list shows the key. */
  readonly label: string | undefined;
  /** Whether other keys have the name as well. */
  readonly isShared: boolean;
  /** Today and this month, with a model in place of a pair. Empty: the key has no name of its own at the gateway. */
  readonly windows: readonly QueryRow[];
}

/** The spend by key and model; the windows that no query asks for are left out. */
export interface KeyModelsSource {
  /** By the name of the key here, with its own figures, which show whether it spent nothing. */
  of(key: OwnFigures): KeyModels;
  /** The keys that spend on a model, by their names at the gateway in place of a model. */
  keysOf(model: string): readonly QueryRow[];
  readonly labels: () => KeyLabels;
}

/** What a key itself reports, and when. */
export type OwnFigures = Pick<KeyRow, "name" | "day" | "month" | "byok" | "lastSuccessMs">;

/**
 * Whether the spend under the name of a key at the gateway contains that of other keys: it is more than the key itself reports
 * later. A key that no list shows, or a deleted one, may have the name as well.
 */
export function hasOthers(
  spent: number,
  dataMs: number,
  window: "day" | "month",
  { byok, lastSuccessMs = 0, ...own }: OwnFigures,
): boolean {
  const most = (own[window] ?? Infinity) + (byok?.[window] ?? 0);
  return lastSuccessMs >= dataMs && spent > most * LATE + CENT;
}

/** A service may add up the usage of a key a little later than its analytics. */
const [LATE, CENT] = [1.05, 0.01];

type Figures = Pick<QueryRow, "credits" | "isLeast" | "pairs">;

/** Undefined: no query asks for the spend by key and model. */
export function createKeyModels(
  { analytics }: Pick<Config, "analytics">,
  readings: ReadingSource,
  labels: () => KeyLabels,
): KeyModelsSource | undefined {
  const asked = (["day", "month"] as const).flatMap((window) => {
    const query = analytics?.queries.find((each) => each.window === window && asksKeySpend(each));
    return query ? { window, id: targetId("analytics", query.name) } : [];
  });
  if (asked.length === 0) return undefined;
  const rowOf = (
    { window, id }: (typeof asked)[number],
    figures: (spends: KeySpends) => Figures,
  ): QueryRow => {
    const row = { ...targetRow(window, readings.status(id)), pairs: [] };
    const reading = readings.shown(id);
    if (reading?.value?.kind !== "usage" || !reading.shows(reading.value.window)) return row;
    const { dataMs, range, keySpends } = reading.value;
    return { ...row, dataMs, windowStartMs: range.startMs, ...(keySpends && figures(keySpends)) };
  };
  const isOfMore = ({ window, id }: (typeof asked)[number], label: string, key: OwnFigures): boolean => {
    const reading = readings.shown(id);
    if (reading?.value?.kind !== "usage" || !reading.shows(reading.value.window)) return false;
    const { dataMs, keySpends } = reading.value;
    return hasOthers(keySpends?.keys.get(label)?.credits ?? 0, dataMs, window, key);
  };
  return {
    labels,
    of: (key) => {
      const label = labels().byName.get(key.name);
      const isShared =
        label !== undefined && (labels().isShared(label) || asked.some((each) => isOfMore(each, label, key)));
      const windows =
        label && !isShared
          ? asked.map((each) => rowOf(each, (spends) => figuresOf(label, spends, key[each.window])))
          : [];
      return { label, isShared, windows };
    },
    keysOf: (model) => asked.map((each) => rowOf(each, (spends) => ({ pairs: keysWith(model, spends) }))),
  };
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
