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
export const MUTATIONS: readonly Mutation[] = [
  one(
    "the size of a body",
    "exporter/gateway/receive.ts",
    "if (!(bytes > most)) return true;",
    "return true;",
    ["an endless body", "an endless error", "an error message of 16 MB"],
  ),
  one(
    "the number of values in a body",
    "exporter/gateway/response-body.ts",
    "MOST_VALUES = 50_000",
    "MOST_VALUES = 1e9",
    ["rows that are numbers", "empty rows", "16 million warnings", "nested", "a list of 8 million"],
  ),
  one(
    "the time of a request",
    "exporter/gateway/receive.ts",
    '"TimeoutError")), limitMs)',
    '"TimeoutError")), 2 ** 30)',
    ["no answer"],
  ),
  one(
    "secrets in errors",
    "exporter/gateway/response-body.ts",
    "withoutSecrets(envelope.data",
    "String(envelope.data",
    ["a secret as the error message", "a secret as the whole error"],
  ),
  one(
    "secrets in labels",
    "exporter/collectors/label-text.ts",
    "holdsSecret(text) ? CONCEALED : text",
    "text",
    ["secrets as titles", "a secret as the label"],
  ),
  one("regular files", "exporter/config/files.ts", "if (!status.isFile())", "if (status.isDirectory())", [
    "key files are devices",
    "a configuration that is a device",
  ]),
  one(
    "opening without waiting",
    "exporter/config/files.ts",
    "constants.O_RDONLY | constants.O_NONBLOCK",
    "constants.O_RDONLY",
    ["key files are FIFOs", "a configuration that is a FIFO"],
  ),
  one(
    "the size of a file",
    "exporter/config/files.ts",
    "if (size > mostBytes) throw tooLarge(mostBytes);",
    "mostBytes = 2 ** 31;",
    ["key files of 1 GB", "a configuration of 1 GB"],
  ),
  one(
    "the number of connections",
    "exporter/http/connections.ts",
    "!isFull || dropLongestIdle()",
    "!isFull",
    ["600 connections that"],
  ),
  one("slots of clients that left", "exporter/http/router.ts", "if (response.destroyed) return true;", "", [
    "requests that are broken off",
  ]),
  one(
    "reloads from other sites",
    "exporter/http/router.ts",
    '(method === "GET" ? undefined : await changeRefusal(request)) ?? route',
    "route",
    ["reloads"],
  ),
  one("lines for a cause", "exporter/schedule/event-log.ts", "MOST_LINES = 30", "MOST_LINES = 1e9", [
    "an error that changes each time",
    "anything, delivered",
    "types that are wrong",
  ]),
  one("the end of slow readers", "exporter/http/limits.ts", "stopMs: 5000", "stopMs: 2 ** 30", [
    "600 connections that send nothing",
  ]),
];

function one(name: string, file: string, from: string, to: string, kinds: readonly string[]): Mutation {
  return { name, changes: [{ file, from, to }], kinds };
}
