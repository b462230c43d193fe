/** A limit of the exporter that is removed. */
export interface Mutation {
  readonly name: string;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** Parts of the names of the attacks that need the limit. */
  readonly kinds: readonly string[];
}

/** A text of the exporter without the limit. */
export function mutated({ name, changes }: Mutation, file: string, text: string): string {
  return changes
    .filter((change) => change.file === file)
    .reduce((changed, { from, to }) => {
      if (changed.split(from).length !== 2)
        throw new Error(`Cannot remove "${name}": want "${from}" once in "${file}"`);
      return changed.replace(from, () => to);
    }, text);
}

/** Each limit that the attack must miss. */
export const MUTATIONS: readonly Mutation[] = [];
