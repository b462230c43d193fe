import { dirname, isAbsolute, join } from "node:path";
import { discoveryConfig } from "./discovery-section.ts";
import { budgetConfig } from "./budgets/budget-config.ts";
import { configHash } from "./config-hash.ts";
import type { AnalyticsConfig, Config, KeyConfig, ProxyConfig } from "./config.ts";
import { readingFault } from "./file-error.ts";
import type { Files } from "./files.ts";
import { inspectInThread } from "./inspection-thread.ts";
import { type KeysDirectory, NO_DIRECTORY, readKeysDirectory } from "./keys-directory.ts";
import { inspectConfig } from "./parse.ts";
import { type AudioFiles, audioFindings, createAudioFiles, probingConfig } from "./probes/probe-config.ts";
import { firstProblems, pathText, type Problem, withoutRepetitions } from "./problem.ts";
import { queryConfigs } from "./query-section.ts";
import { type Checked, entriesOf, has, right, sectionOf } from "./rules.ts";
import { type ConfigFile, keyFindings, ownedKeys, ownerOf } from "./schema.ts";
import { proxyOf } from "./proxy.ts";
import { checkSecrets, type NamedSecret } from "./secret-check.ts";
import {
  API_KEY_FIELDS,
  MANAGEMENT_KEY_FIELDS,
  type SecretReference,
  secretReference,
} from "./secret-fields.ts";
import { type Environment, environmentSecret, fileSecret } from "./secret-source.ts";
import type { SecretSource } from "./secret.ts";
import { parseYamlInPieces } from "./yaml-text.ts";

export interface LoadOptions extends Files {
  /** Path of the configuration file. Paths in it are relative to its folder. */
  readonly path: string;
  readonly env: Environment;
}

export type LoadResult =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads the configuration with everything that it refers to. Every problem is reported at once. */
export async function loadConfig(options: LoadOptions): Promise<LoadResult> {
  let text: string;
  try {
    text = await options.readFile(options.path, MOST_BYTES);
  } catch (error) {
    return { ok: false, problems: [{ path: "", message: readingFault(error) }] };
  }
  if (text.length > LONGEST_DIRECT) {
    const problems = await inspectInThread(text);
    if (problems.length > 0) return { ok: false, problems };
  }
  const yaml = await parseYamlInPieces(text);
  const { file, checked, problems } = inspectConfig(yaml);
  const refused = (all: readonly Problem[]): LoadResult => ({
    ok: false,
    problems: firstProblems(all, yaml.lineOf),
  });
  if (!checked) return refused(problems);
  const references = resolver(options);
  const directory = await keysDirectoryOf(checked, references, options);
  const gateway = sectionOf(checked, "gateway");
  const { proxy, problems: proxyProblems } = proxyOf(gateway && right(gateway, "base_url"), options.env);
  const secrets = await checkSecrets(writtenSecrets(checked, directory, references));
  const findings = [
    ...directoryFindings(checked, directory),
    ...(await audioFindings(entriesOf(checked, "probes"), references.audioFiles)),
  ];
  const all = withoutRepetitions([
    ...problems,
    ...proxyProblems,
    ...directory.problems,
    ...secrets.problems,
    ...findings.map(({ path, message }) => ({ path: pathText(path), message })),
  ]);
  if (!file || all.length > 0) return refused(all);
  if (file.keys.length + directory.files.size === 0 && !file.analytics) {
    return refused([{ path: "keys_dir", message: "contains no keys" }, ...directory.warnings]);
  }
  const warnings = [...directory.warnings, ...secrets.warnings].map(
    ({ path, message }) => `${path}: ${message}`,
  );
  const config = { ...(await toConfig(file, directory, references, proxy)), hash: configHash(text) };
  return { ok: true, config, warnings };
}

/** More than the keys that one exporter can poll. */
const MOST_BYTES = 4 * 1024 * 1024;

/** A shorter text is checked within milliseconds, whatever it contains. */
const LONGEST_DIRECT = 64 * 1024;

/** What the configuration refers to. */
interface References {
  readonly path: (written: string) => string;
  readonly secret: (reference: Pick<SecretReference, "kind" | "target">) => SecretSource;
  /** The secret in a file whose path is not relative to the configuration. */
  readonly fileSecret: (path: string) => SecretSource;
  readonly audioFiles: AudioFiles;
}

function resolver(options: LoadOptions): References {
  const path = (written: string) => (isAbsolute(written) ? written : join(dirname(options.path), written));
  // The check and the configuration share each source. What the check has read is then concealed before the first poll.
  const sources = new Map<string, SecretSource>();
  const shared = (id: string, create: () => SecretSource) => {
    const source = sources.get(id) ?? create();
    sources.set(id, source);
    return source;
  };
  const ofFile = (file: string) => shared(`file ${file}`, () => fileSecret(file, options));
  return {
    path,
    secret: ({ kind, target }) =>
      kind === "env"
        ? shared(`env ${target}`, () => environmentSecret(target, options.env))
        : ofFile(path(target)),
    fileSecret: ofFile,
    audioFiles: createAudioFiles(path, options),
  };
}

async function keysDirectoryOf(
  checked: Checked<ConfigFile>,
  { path }: References,
  files: Files,
): Promise<KeysDirectory> {
  const directory = right(checked, "keys_dir");
  if (directory === undefined) return NO_DIRECTORY;
  const taken = entriesOf(checked, "keys").map((key) => right(key, "name"));
  return readKeysDirectory(path(directory), taken, files);
}

/** Budgets and probes can name keys of the folder. A folder that cannot be listed is reported instead. */
function directoryFindings(checked: Checked<ConfigFile>, { files, problems }: KeysDirectory) {
  if (!has(checked, "keys_dir") || problems.length > 0) return [];
  const found = [...files.keys()].map((name) => ({ name, owner: ownerOf(undefined) }));
  return keyFindings(checked, [...ownedKeys(checked), ...found]);
}

function writtenSecrets(
  checked: Checked<ConfigFile>,
  directory: KeysDirectory,
  references: References,
): readonly NamedSecret[] {
  const { secret } = references;
  const written = entriesOf(checked, "keys").flatMap((key, index) => {
    const reference = secretReference(key, API_KEY_FIELDS);
    if (!reference) return [];
    const name = right(key, "name") ?? `keys[${index}]`;
    const path = pathText(["keys", index, reference.field]);
    return [{ path, key: name, source: secret(reference), isOptional: false }];
  });
  const found = [...directory.files].map(([key, file]) => ({
    path: "keys_dir",
    key,
    source: references.fileSecret(file),
    isOptional: true,
  }));
  const analytics = sectionOf(checked, "analytics");
  const reference = analytics && secretReference(analytics, MANAGEMENT_KEY_FIELDS);
  if (!reference) return [...written, ...found];
  const path = pathText(["analytics", reference.field]);
  return [...written, ...found, { path, key: undefined, source: secret(reference), isOptional: false }];
}

async function toConfig(
  file: ConfigFile,
  directory: KeysDirectory,
  references: References,
  proxy: ProxyConfig | undefined,
): Promise<Omit<Config, "hash">> {
  const { gateway, schedule } = file;
  const keys = [...writtenKeys(file, references), ...foundKeys(directory, references)];
  return {
    gateway: {
      baseUrl: gateway.base_url,
      timeoutMs: gateway.timeout,
      deadlineMs: gateway.deadline,
      requestsPerMinute: gateway.requests_per_minute,
      connections: gateway.connections,
      maxPauseMs: gateway.max_pause,
      maxBodyBytes: gateway.max_body,
      proxy,
    },
    keys,
    analytics: toAnalytics(file, references),
    discovery:
      file.analytics && discoveryConfig(file.discovery, keys.length === 0 && file.keys_dir === undefined),
    budgets: file.budgets.map((entry) => budgetConfig(entry, keys)),
    probing: await probingConfig(file, references.audioFiles, keys),
    schedule,
    creditValue: file.credit_value && {
      ...file.credit_value,
      former: file.credit_value.former.map(({ until, value }) => ({ untilMs: until, value })),
    },
    seriesLimit: file.series_limit,
    shards: file.shards,
  };
}

function writtenKeys(file: ConfigFile, { secret }: References): KeyConfig[] {
  return file.keys.flatMap((entry) => {
    const reference = secretReference({ value: entry, issues: [] }, API_KEY_FIELDS);
    if (!reference) return [];
    const { name, owner, show_label: showLabel, limit } = entry;
    return [{ name, secret: secret(reference), owner: ownerOf(owner), showLabel, ...(limit && { limit }) }];
  });
}

function foundKeys({ files }: KeysDirectory, references: References): KeyConfig[] {
  return [...files].map(([name, file]) => ({
    name,
    secret: references.fileSecret(file),
    owner: ownerOf(undefined),
    showLabel: false,
  }));
}

function toAnalytics({ analytics }: ConfigFile, { secret }: References): AnalyticsConfig | undefined {
  const reference = analytics && secretReference({ value: analytics, issues: [] }, MANAGEMENT_KEY_FIELDS);
  if (!reference) return undefined;
  const { top, rates, queries } = analytics;
  return { managementKey: secret(reference), top, rates, queries: queryConfigs(queries) };
}
