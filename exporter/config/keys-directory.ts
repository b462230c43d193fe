import { KEY_NAME } from "./field.ts";
import { readingFault } from "./file-error.ts";
import type { Files } from "./files.ts";
import type { Problem } from "./problem.ts";
import { quotePath } from "./quote.ts";

export interface KeysDirectory {
  /** Keys by name, each with the path of its file, in the order of their names. */
  readonly files: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Without `keys_dir`. */
export const NO_DIRECTORY: KeysDirectory = { files: new Map(), problems: [], warnings: [] };

/** The keys of `keys_dir`: one for each file, named by the file. */
export async function readKeysDirectory(
  directory: string,
  /** Names of `keys`, by index. */
  taken: readonly (string | undefined)[],
  { listDirectory }: Pick<Files, "listDirectory">,
): Promise<KeysDirectory> {
  const files = new Map<string, string>();
  const indexes = new Map(taken.map((name, index) => [name, index]));
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const add = (name: string) => {
    const path = `${directory.replace(/\/+$/, "")}/${name}`;
    const index = indexes.get(name);
    if (!KEY_NAME.test(name)) {
      warnings.push({
        path: "keys_dir",
        message: `file ${quotePath(path)} is skipped: its name does not match ${KEY_NAME_TEXT}`,
      });
    } else if (index !== undefined) {
      problems.push({
        path: "keys_dir",
        message: `file ${quotePath(path)} has the same name as keys[${index}]`,
      });
    } else files.set(name, path);
  };
  try {
    const entries = await listDirectory(directory);
    // Kubernetes keeps the files of a volume in ..data and links to them, so that all of them change at once.
    const names = entries.filter((entry) => !entry.name.startsWith(".") && !entry.isDirectory);
    for (const { name } of names.toSorted((one, other) => (one.name < other.name ? -1 : 1))) add(name);
  } catch (error) {
    problems.push({ path: "keys_dir", message: `folder ${quotePath(directory)} ${readingFault(error)}` });
  }
  return { files, problems, warnings };
}

const KEY_NAME_TEXT = KEY_NAME.source.replace(/^\^|\$$/g, "");
