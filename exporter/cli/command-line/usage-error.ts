/** The command line is wrong. The message names the mistake and what was expected. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The allowed value that a flag has. @throws UsageError that names all of them. */
export function oneOf<T extends string>(flag: string, allowed: readonly T[], text: string): T {
  const found = allowed.find((value) => value === text);
  if (found === undefined)
    throw new UsageError(`Unknown value "${text}" of --${flag}: expected ${allowed.join(", ")}`);
  return found;
}
