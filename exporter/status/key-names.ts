import type { KeyLabels } from "../readings/key-labels.ts";
import type { KeyRow } from "./target-rows.ts";

/** Whose spend the gateway reports under a name: a key that no list shows, or a deleted one, may have it as well. */
export interface KeyNames {
  of(key: OwnFigures): NameThere;
  /** The key to which all spend under a name at the gateway belongs; undefined: it is unknown. */
  keyOf(label: string): KeyRow | undefined;
}

/** What the gateway calls a key. */
export interface NameThere {
  /** Empty: it has no name there; undefined: no list shows the key. */
  readonly label: string | undefined;
  /** Whether other keys spend under the name. */
  readonly isShared: boolean;
}

/** What a key itself reports, and when. */
export type OwnFigures = Pick<KeyRow, "name" | "day" | "month" | "byok" | "lastSuccessMs">;

/** Credits that an answer reports under a name since the beginning of a window. */
export interface SpendUnderName {
  readonly window: "day" | "month";
  readonly credits: number;
  readonly dataMs: number;
}

export function createKeyNames(
  labels: () => KeyLabels,
  keyNamed: (name: string) => KeyRow | undefined,
  spendUnder: (label: string) => readonly SpendUnderName[],
): KeyNames {
  const of = (key: OwnFigures): NameThere => {
    const label = labels().byName.get(key.name);
    const isShared =
      label !== undefined &&
      (labels().isShared(label) || spendUnder(label).some((spend) => hasOthers(spend, key)));
    return { label, isShared };
  };
  return {
    of,
    keyOf: (label) => {
      const name = labels().nameOf(label);
      const key = name === undefined ? undefined : keyNamed(name);
      return key && !of(key).isShared ? key : undefined;
    },
  };
}

/** Whether it is more than the key itself reports later. */
function hasOthers({ window, credits, dataMs }: SpendUnderName, key: OwnFigures): boolean {
  const most = (key[window] ?? Infinity) + (key.byok?.[window] ?? 0);
  return (key.lastSuccessMs ?? 0) >= dataMs && credits > most * LATE + CENT;
}

/** A service may add up the usage of a key a little later than its analytics. */
const [LATE, CENT] = [1.05, 0.01];
