/** The command line is wrong. The message names the mistake and what was expected. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
