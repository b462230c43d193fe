/** A limit of the exporter that is removed. */
export interface Mutation {
  readonly name: string;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** Parts of the names of the attacks that need the limit. */
  readonly kinds: readonly string[];
  /** The tests that need it; run if no attack can see that it is missing, or needs too long. */
  readonly tests: readonly string[];
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

/** Each limit that the attack or a test must miss. */
export const MUTATIONS: readonly Mutation[] = [
  one(
    "the size of a body",
    "exporter/gateway/receive.ts",
    "if (!(bytes > most)) return true;",
    "return true;",
    ["an endless body", "an endless error", "an error message of 16 MB"],
    ["test/exporter/gateway/http-failures.test.ts"],
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
    "withoutSecrets(sent.slice",
    "String(sent.slice",
    ["a secret as the error message", "a secret as the whole error"],
    ["test/exporter/gateway/secrets.test.ts", "test/exporter/gateway/response-body.test.ts"],
  ),
  one(
    "the search for secrets",
    "exporter/config/secret.ts",
    "return concealer.conceal(text, REDACTED);",
    "return text;",
    ["a secret as the error message", "a secret as the whole error"],
  ),
  one(
    "secrets in labels",
    "exporter/collectors/label-text.ts",
    "holdsSecret(text) ? CONCEALED : text",
    "text",
    ["secrets as titles", "a secret as the label"],
  ),
  one(
    "regular files",
    "exporter/config/files.ts",
    "if (!status.isFile())",
    "if (status.isDirectory())",
    ["key files are devices", "a configuration that is a device"],
    ["test/exporter/config/files.test.ts"],
  ),
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
    "the place of an unread answer",
    "exporter/http/request-semaphore.ts",
    "if (since > latest) return false;",
    "return false;",
    ["60 readers that do not read"],
    ["test/exporter/http/limits.test.ts"],
  ),
  one(
    "the number of connections",
    "exporter/http/connections.ts",
    "!isFull || dropLongestIdle()",
    "!isFull",
    ["600 connections that"],
  ),
  one(
    "slots of clients that left",
    "exporter/http/request-semaphore.ts",
    "if (response.destroyed) return true;",
    "",
    ["requests that are broken off"],
    ["test/exporter/http/request-semaphore.test.ts"],
  ),
  one(
    "reloads from other sites",
    "exporter/http/router.ts",
    "(await whileConnected(response, changeRefusal(request))) ?? ",
    "",
    ["reloads"],
  ),
  one("lines for a cause", "exporter/schedule/event-log.ts", "MOST_LINES = 20", "MOST_LINES = 1e9", [
    "an error that changes each time",
    "anything, delivered",
    "types that are wrong",
  ]),
  one(
    "the end of slow readers",
    "exporter/http/limits.ts",
    "stopMs: 5000",
    "stopMs: 2 ** 30",
    ["600 connections that send nothing"],
    ["test/exporter/http/limits.test.ts", "test/e2e/shutdown.test.ts"],
  ),
  {
    name: "one buffer for a body",
    changes: [
      {
        file: "exporter/gateway/body.ts",
        from: "let length = 0;",
        to: "let length = 0;\n  const chunks: Buffer[] = [];",
      },
      {
        file: "exporter/gateway/body.ts",
        from: "chunk.copy(buffer, length);",
        to: "chunk.copy(buffer, length);\n        chunks.push(chunk);",
      },
    ],
    kinds: ["in chunks of one byte"],
    tests: ["test/e2e/large-answers.test.ts"],
  },
  one(
    "the pauses between chunks",
    "exporter/gateway/receive.ts",
    "pace(from);",
    "",
    ["in chunks of one byte"],
    ["test/fuzz/stalls.test.ts", "test/exporter/gateway/receive.test.ts"],
  ),
  one(
    "the number of rows",
    "exporter/gateway/wire/usage-rows.ts",
    "slice(0, ROW_LIMIT)",
    "slice(0)",
    [],
    ["test/exporter/gateway/wire/usage.test.ts"],
  ),
  one(
    "the deadline of a file",
    "exporter/config/hang-guard.ts",
    "}, deadlineMs);",
    "}, 2 ** 30);",
    [],
    ["test/exporter/config/hang-guard.test.ts"],
  ),
  one(
    "whole names of certificates",
    "exporter/http/client-names.ts",
    "wanted.has(keyOf(name))",
    "[...wanted].some((text) => text.includes(name.text) || keyOf(name).includes(text))",
    [],
    ["test/exporter/http/client-names.test.ts"],
  ),
  one(
    "one page for all readers",
    "exporter/status/status-page.ts",
    "SHOWN_MS = 1000",
    "SHOWN_MS = 0",
    ["16 loops of the status page"],
    ["test/exporter/status/status-page.test.ts"],
  ),
  one(
    "the queue of logins",
    "exporter/http/login-queue.ts",
    "MOST_WAITING_OF_A_NETWORK = 4",
    "MOST_WAITING_OF_A_NETWORK = 1e9",
    ["32 loops of wrong passwords"],
    ["test/exporter/http/login-queue.test.ts"],
  ),
  one(
    "the silence of SIGUSR1",
    "exporter/main.ts",
    'process.on("SIGUSR1", () => {});',
    "",
    ["SIGUSR1"],
    ["test/e2e/debugger.test.ts"],
  ),
  one(
    "pieces of names",
    "exporter/collectors/label-text.ts",
    "LETTERS_AT_ONCE = 4096",
    "LETTERS_AT_ONCE = 1e9",
    [],
    ["test/fuzz/stalls.test.ts"],
  ),
  one(
    "the parts of a configuration",
    "exporter/config/yaml-text.ts",
    "MOST_PARTS = 500_000",
    "MOST_PARTS = 1e9",
    ["a configuration of 52,000 or 200,000", "4 MB of line ends"],
    ["test/exporter/config/inspection-thread.test.ts"],
  ),
  one(
    "the thread for large configurations",
    "exporter/config/load.ts",
    "LONGEST_DIRECT = 64 * 1024",
    "LONGEST_DIRECT = 1e9",
    ["a configuration of 52,000 or 200,000"],
    ["test/exporter/config/inspection-thread.test.ts"],
  ),
  one(
    "the values of a configuration",
    "exporter/config/parse.ts",
    "MOST_VALUES = 80_000",
    "MOST_VALUES = 1e9",
    ["aliases of a large mapping"],
  ),
];

function one(
  name: string,
  file: string,
  from: string,
  to: string,
  kinds: readonly string[],
  tests: readonly string[] = [],
): Mutation {
  return { name, changes: [{ file, from, to }], kinds, tests };
}
