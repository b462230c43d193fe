/** Why a file or a folder could not be read. */
export class FileError extends Error {
  /** Completes a sentence that begins with the name of the file, such as `is a directory`. */
  readonly fault: string;

  constructor(fault: string) {
    super(`The file ${fault}`);
    this.name = "FileError";
    this.fault = fault;
  }
}

/** Why a file or a directory could not be read, without the path, which Node's own message repeats. */
export function readingFault(error: unknown): string {
  if (error instanceof FileError) return error.fault;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return FAULTS.get(code) ?? `cannot be read: ${code}`;
}

export const NO_FILE = "does not exist";

const FAULTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", NO_FILE],
  ["EACCES", "cannot be read: permission denied"],
  ["EPERM", "cannot be read: permission denied"],
  ["EISDIR", "is a directory"],
  ["ENOTDIR", "is not a directory"],
  ["ELOOP", "is a link that leads to itself"],
  // A socket, or a device without a driver.
  ["ENXIO", "is not a regular file"],
  ["ENODEV", "is not a regular file"],
]);
