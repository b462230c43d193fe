import { dirname, isAbsolute, join } from "node:path";
import { budgetConfig } from "./budgets/budget-config.ts";
import { memberProblems } from "./budgets/draft.ts";
import type { AnalyticsConfig, Config, KeyConfig, Owner } from "./config.ts";
import { namedKeys, type Draft, type SecretReference } from "./draft.ts";
import { readingFault, type Files } from "./files.ts";
import { readKeysDirectory, type KeysDirectory } from "./keys-directory.ts";
import { inspectConfig } from "./parse.ts";
import { probingConfig, type ProbeAudio, readAudio } from "./probes/probe-config.ts";
import { payerProblems } from "./probes/draft.ts";
import { withoutRepetitions, type Problem } from "./problem.ts";
import type { ConfigFile } from "./schema.ts";
import { environmentSecret, fileSecret, type Environment } from "./secret-source.ts";
import { checkSecrets, type NamedSecret } from "./secret-check.ts";
import type { SecretSource } from "./secret.ts";

export interface LoadOptions extends Files {
  /** Of the configuration file. Paths in it are relative to its folder. */
  readonly path: string;
  readonly env: Environment;
}

export type LoadResult =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads the configuration with all that it refers to. What is wrong comes all at once. */
export async function loadConfig(options: LoadOptions): Promise<LoadResult> {
  let text: string;
  try {
    text = await options.readFile(options.path);
  } catch (error) {
    return { ok: false, problems: [{ path: "", message: readingFault(error) }] };
  }
  const { file, draft, problems } = inspectConfig(text);
  const resolve = resolver(options);
  const directory = await keysDirectoryOf(draft, resolve.path, options);
  const secrets = await checkSecrets(writtenSecrets(draft, directory, resolve.source));
  const audio = await readAudio(draft.probes, file?.probes ?? [], resolve.path, options);
  const all = withoutRepetitions([
    ...problems,
    ...directory.problems,
    ...foundMemberProblems(draft, directory),
    ...secrets.problems,
    ...audio.problems,
  ]);
  if (!file || all.length > 0) return { ok: false, problems: all };
  if (file.keys.length + directory.files.size === 0 && !file.analytics) {
    return { ok: false, problems: [{ path: "keys_dir", message: "holds no key" }, ...directory.warnings] };
  }
  const config = toConfig(file, draft, directory, resolve.source, audio.audio);
  const warnings = [...directory.warnings, ...secrets.warnings].map(
    ({ path, message }) => `${path}: ${message}`,
  );
  return { ok: true, config, warnings };
}

type Source = (reference: Pick<SecretReference, "kind" | "target">) => SecretSource;

function resolver({ path: file, env, readFile }: LoadOptions) {
  const path = (written: string) => (isAbsolute(written) ? written : join(dirname(file), written));
  const source: Source = ({ kind, target }) =>
    kind === "env" ? environmentSecret(target, env) : fileSecret(path(target), { readFile });
  return { path, source };
}

async function keysDirectoryOf(
  draft: Draft,
  resolve: (path: string) => string,
  files: Files,
): Promise<KeysDirectory> {
  if (draft.keysDirectory === undefined) return { files: new Map(), problems: [], warnings: [] };
  const taken = new Map(draft.keys.flatMap(({ name }, index) => (name === undefined ? [] : [[name, index]])));
  return readKeysDirectory(resolve(draft.keysDirectory), taken, files);
}

/** Budgets and probes may name keys of a folder; one that cannot be listed is a problem of its own. */
function foundMemberProblems(draft: Draft, { files, problems }: KeysDirectory): Problem[] {
  if (problems.length > 0) return [];
  const found = [...files.keys()].map((name) => ({ name, owner: NO_OWNER }));
  const known = [...namedKeys(draft.keys), ...found];
  return [...memberProblems(draft.budgets, known), ...payerProblems(draft.probes, known)];
}

const NO_OWNER: Owner = { team: "", project: "", costCenter: "" };

function writtenSecrets(draft: Draft, directory: KeysDirectory, source: Source): NamedSecret[] {
  const written = draft.keys.flatMap(({ name, secret }, index) =>
    secret
      ? [{ path: secret.path, key: name ?? `keys[${index}]`, source: source(secret), isOptional: false }]
      : [],
  );
  const found = [...directory.files].map(([key, target]) => ({
    path: "keys_dir",
    key,
    source: source({ kind: "file", target }),
    isOptional: true,
  }));
  const { managementKey } = draft;
  const management = managementKey
    ? [{ path: managementKey.path, key: undefined, source: source(managementKey), isOptional: false }]
    : [];
  return [...written, ...found, ...management];
}

function toConfig(
  file: ConfigFile,
  draft: Draft,
  directory: KeysDirectory,
  source: Source,
  audio: readonly ProbeAudio[],
): Config {
  const { gateway, schedule } = file;
  const keys = [...writtenKeys(file, draft, source), ...foundKeys(directory, source)];
  return {
    gateway: {
      baseUrl: gateway.base_url,
      timeoutMs: gateway.timeout,
      deadlineMs: gateway.deadline,
      requestsPerMinute: gateway.requests_per_minute,
      connections: gateway.connections,
      maxPauseMs: gateway.max_pause,
      maxBodyBytes: gateway.max_body,
    },
    keys,
    analytics: toAnalytics(file, draft, source),
    budgets: file.budgets.map((entry) => budgetConfig(entry, keys)),
    probing: probingConfig(file, audio, keys),
    schedule,
    creditValue: file.credit_value,
    seriesLimit: file.series_limit,
  };
}

function writtenKeys(file: ConfigFile, draft: Draft, source: Source): KeyConfig[] {
  return file.keys.flatMap(({ name, owner, show_label: showLabel }, index) => {
    const reference = draft.keys[index]?.secret;
    if (!reference) return [];
    const { team, project, cost_center: costCenter } = owner;
    return [{ name, secret: source(reference), owner: { team, project, costCenter }, showLabel }];
  });
}

function foundKeys({ files }: KeysDirectory, source: Source): KeyConfig[] {
  return [...files].map(([name, target]) => ({
    name,
    secret: source({ kind: "file", target }),
    owner: NO_OWNER,
    showLabel: false,
  }));
}

function toAnalytics(file: ConfigFile, draft: Draft, source: Source): AnalyticsConfig | undefined {
  if (!file.analytics || !draft.managementKey) return undefined;
  const { top, rates } = file.analytics;
  return { managementKey: source(draft.managementKey), top, rates };
}
