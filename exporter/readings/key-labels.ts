import type { ListedName, ListedNames } from "./reading.ts";

/** What the gateway calls the keys, which several keys may share. */
export interface KeyLabels {
  /** By the name of the key here. */
  readonly byName: ReadonlyMap<string, string>;
  isShared(label: string): boolean;
  /** The name of a key here; undefined: it has none, or several keys have the label. */
  nameOf(label: string): string | undefined;
}

/** What is shown in place of a name that reveals a secret. */
const CONCEALED = "_concealed";

/** What is shown in place of no name. */
export const NONE = "_none";

export function labelsOf(listed: ListedNames): KeyLabels {
  const all: readonly ListedName[] = [...listed.values()].flatMap((keys) => [...keys.values()]);
  const [names, shared] = [new Map<string, string>(), new Set<string>([CONCEALED, NONE])];
  for (const { name, label } of all) {
    if (names.has(label)) shared.add(label);
    names.set(label, name);
  }
  return {
    byName: new Map(
      all.flatMap(({ name, twins, label }) => [...twins, name].map((each) => [each, label] as const)),
    ),
    isShared: (label) => shared.has(label),
    nameOf: (label) => (shared.has(label) ? undefined : names.get(label)),
  };
}
