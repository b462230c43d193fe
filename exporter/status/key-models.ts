import type { Config } from "../config/config.ts";
import { decimalRest } from "../metrics/decimal-sum.ts";
import { asksKeySpend, type KeySpend, type KeySpends, type ModelSpend } from "../readings/key-spend.ts";
import type { ListedName, ListedNames } from "../readings/listed-name.ts";
import type { UsageReading } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { type KeyRow, type TargetRow, targetRow } from "./target-rows.ts";

/** What a key spends by model in a window, by the name that the gateway has for it. Amounts are credits. */
export interface KeyModels extends TargetRow {
  readonly window: "day" | "month";
  /** The name of the key at the gateway, empty if it has none; undefined: no list shows the key. */
  readonly label: string | undefined;
  /** Why the spend is unknown, or a lower bound; undefined: it is complete. */
  readonly gap: KeyModelsGap | undefined;
  /** The end of the data. */
  readonly dataMs: number | undefined;
  /** In all; undefined: unknown. */
  readonly credits: number | undefined;
  /** The most expensive ones first, `_other` last, so that their sum is the total; empty if nothing is known. */
  readonly models: readonly ModelSpend[];
}

/**
 * Unnamed: the name of the key at the gateway is not known, or it has none. Shared: other keys have it as
 * well. Unanswered: there is no current answer. Partial: the answer lacks rows or amounts. Doubtful: the
 * answer has no spend of the key, but the key itself reports some, or its own figures are unknown and rows
 * without a name may be its spend.
 */
export type KeyModelsGap = "unnamed" | "shared" | "unanswered" | "partial" | "doubtful";

/** The spend by key and model; the windows that no query asks for are left out. */
export interface KeyModelsSource {
  /** By the name of the key here, with its own figures, which show whether it spent nothing. */
  of(key: OwnFigures): readonly KeyModels[];
  /**
   * The keys that `/metrics` names with a model, the most expensive first; those that spend less on it may be
   * missing.
   */
  keysOf(model: string): readonly ModelKeys[];
}

/** What a key itself reports. */
export type OwnFigures = Pick<KeyRow, "name" | "day" | "month">;

export interface ModelKeys extends Pick<KeyModels, "window"> {
  /** Undefined: there is no current answer. */
  readonly keys: readonly ModelKey[] | undefined;
}

/** A name that the gateway has for a key. Amounts are credits. */
export interface ModelKey {
  readonly label: string;
  /** The name of the key here; undefined: it has none, or several keys have the label. */
  readonly name: string | undefined;
  readonly credits: number | undefined;
}

/** Undefined: no query asks for the spend by key and model. */
export function createKeyModels(
  { analytics }: Pick<Config, "analytics">,
  readings: ReadingSource,
  listed: ListedNames,
): KeyModelsSource | undefined {
  const asked = WINDOWS.flatMap((window) => {
    const query = analytics?.queries.find((each) => each.window === window && asksKeySpend(each));
    return query ? { window, name: query.name } : [];
  });
  if (asked.length === 0) return undefined;
  let known: Labels | undefined;
  const labels = () => (known ??= labelsOf(listed));
  const answerOf = (name: string): UsageReading | undefined => {
    const reading = readings.shown(targetId("analytics", name));
    return reading?.value?.kind === "usage" && reading.shows(reading.value.window)
      ? reading.value
      : undefined;
  };
  return {
    of: (key) => {
      const label = labels().byName.get(key.name);
      const gap = !label ? "unnamed" : labels().isShared(label) ? "shared" : undefined;
      return asked.map(({ window, name }) => {
        const row = targetRow(name, readings.status(targetId("analytics", name)));
        return { ...row, window, label, ...figures(answerOf(name), label, gap, key[window]) };
      });
    },
    keysOf: (model) =>
      asked.map(({ window, name }) => {
        const spends = answerOf(name)?.keySpends;
        return { window, keys: spends && keysWith(model, spends, labels()) };
      }),
  };
}

const WINDOWS = ["day", "month"] as const;

/** What is shown in place of a name that reveals a secret. */
const CONCEALED = "_concealed";

/** What is shown in place of no name. */
const NONE = "_none";

interface Labels {
  readonly byName: ReadonlyMap<string, string>;
  isShared(label: string): boolean;
}

function labelsOf(listed: ListedNames): Labels {
  const names: readonly ListedName[] = [...listed.values()].flatMap((keys) => [...keys.values()]);
  const [once, twice] = [new Set<string>([CONCEALED, NONE]), new Set<string>()];
  for (const { label } of names) (once.has(label) ? twice : once).add(label);
  return {
    byName: new Map(
      names.flatMap(({ name, twins, label }) => [...twins, name].map((each) => [each, label] as const)),
    ),
    isShared: (label) => twice.has(label),
  };
}

function keysWith(model: string, { keys }: KeySpends, labels: Labels): readonly ModelKey[] {
  const names = new Map([...labels.byName].map(([name, label]) => [label, name]));
  return [...keys]
    .flatMap(([label, { models }]) => {
      const spend = models.find((each) => each.model === model);
      const name = labels.isShared(label) ? undefined : names.get(label);
      return spend ? { label, name, credits: spend.credits } : [];
    })
    .toSorted((one, other) => (other.credits ?? 0) - (one.credits ?? 0));
}

function figures(
  answer: UsageReading | undefined,
  label: string | undefined,
  gap: KeyModelsGap | undefined,
  own: number | undefined,
): Pick<KeyModels, "gap" | "dataMs" | "credits" | "models"> {
  const nothing = { dataMs: undefined, credits: undefined, models: [] };
  if (label === undefined || gap) return { ...nothing, gap };
  if (!answer) return { ...nothing, gap: "unanswered" };
  const { keySpends, dataMs } = answer;
  const spend = keySpends?.keys.get(label);
  const isComplete = keySpends?.hasAllRows === true;
  if (!spend && !isComplete) return { ...nothing, dataMs, gap: "partial" };
  if (isDoubtful(spend, own, keySpends)) return { ...nothing, dataMs, gap: "doubtful" };
  if (!spend) return { ...nothing, dataMs, gap, credits: 0 };
  const { models, credits } = spend;
  const named = models.flatMap((model) => model.credits ?? []);
  const rest = credits === undefined ? 0 : decimalRest(credits, named);
  return {
    gap: isComplete && spend.isComplete ? undefined : "partial",
    dataMs,
    credits,
    models: rest === 0 ? models : [...models, { model: "_other", credits: rest }],
  };
}

/** Whether a key may have spent, although the answer has no spend of it. */
function isDoubtful(spend: KeySpend | undefined, own: number | undefined, all: KeySpends | undefined) {
  if (own === undefined) return !spend && (all?.keys.get(NONE) ?? { credits: 0 }).credits !== 0;
  return own > 0 && (spend === undefined || spend.credits === 0);
}
