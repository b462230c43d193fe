import { dirname, isAbsolute, join } from "node:path";
import { accountConfig } from "./account-section.ts";
import { budgetConfig } from "./budgets/schema.ts";
import { type Config, configHash } from "./config.ts";
import { discoveryConfig } from "./discovery-section.ts";
import { type Files, MOST_CONFIG_BYTES, readingFault } from "../secrets/files.ts";
import { HEADER_FIELDS } from "./gateway-section.ts";
import { readGatewayTls } from "./gateway-tls.ts";
import { inspectConfig } from "./parse.ts";
import { readAudio, probingConfig } from "./probes/probe-config.ts";
import { pathText, type Problem, problemsOf } from "./problem.ts";
import { proxyOf } from "./proxy.ts";
import { queryConfigs } from "./query-section.ts";
import { type Checked, entriesOf, type Finding, has, right, sectionOf, type Report } from "./rules.ts";
import { checkKeys, type ConfigFile, ownedKeys, ownerOf } from "./schema.ts";
import {
  checkSecrets,
  type NamedSecret,
  API_KEY_FIELDS,
  MANAGEMENT_KEY_FIELDS,
  type SecretHolder,
} from "./secret-fields.ts";
import { type Environment, environmentSecret, fileSecret } from "../secrets/secret-source.ts";
import { holdsSecret } from "../secrets/redact.ts";
import { parseYaml } from "./yaml-text.ts";
import { KEY_NAME, shownPattern } from "./field.ts";
import { quotePath } from "../secrets/quote.ts";

export interface LoadOptions extends Files {
  /** Path of the configuration file. Paths in it are relative to its folder. */
  readonly path: string;
  readonly env: Environment;
  /** The exporter runs without a secret, and fails where it needs it; a check reports it as a problem. */
  readonly isTolerant?: boolean | undefined;
}

export type LoadResult =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads the configuration with everything that it refers to. Every problem is reported at once. */
export async function loadConfig(options: LoadOptions): Promise<LoadResult> {
  let text: string;
  try {
    text = await options.readFile(options.path, MOST_CONFIG_BYTES);
  } catch (error) {
    return { ok: false, problems: [{ path: "", message: readingFault(error) }] };
  }
  const yaml = parseYaml(text);
  const { file, checked, findings } = inspectConfig(yaml);
  const refused = (all: readonly Finding[]) =>
    ({ ok: false, problems: problemsOf(all, yaml.lineOf) }) as const;
  if (!checked) return refused(findings);
  const { read, problems, warnings } = await readReferences(checked, options);
  const told = new Set([...findings, ...problems].map(({ path }) => pathText(path)));
  problems.push(...revealing(yaml.value).filter(({ path }) => !told.has(pathText(path))));
  if (!file || findings.length + problems.length > 0) return refused([...findings, ...problems]);
  const isEmpty = read.keys.length === 0 && !file.analytics;
  const empty = isEmpty ? [{ path: ["keys_dir"], message: "contains no keys" }] : [];
  if (isEmpty && !options.isTolerant) return refused([...empty, ...warnings]);
  const config = { ...(await toConfig(file, read)), hash: configHash(text) };
  return {
    ok: true,
    config,
    warnings: [...empty, ...warnings].map(({ path, message }) => `${pathText(path)}: ${message}`),
  };
}

/** The fields that contain a secret, or what looks like one: pages, metrics and logs would show them. */
function revealing(value: unknown, path: Finding["path"] = []): readonly Finding[] {
  if (typeof value === "string")
    return holdsSecret(value)
      ? [{ path, message: "contains a secret (not shown), which must not be in the configuration" }]
      : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    revealing(part, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

/** Finds and checks whatever the valid parts of a configuration name. */
async function readReferences(checked: Checked<ConfigFile>, options: LoadOptions) {
  const [problems, warnings]: [Finding[], Finding[]] = [[], []];
  const report = (path: Finding["path"], message: string) => void problems.push({ path, message });
  const warn = (path: Finding["path"], message: string) => void warnings.push({ path, message });
  const resolve = (path: string) => (isAbsolute(path) ? path : join(dirname(options.path), path));

  function secretOf<Field extends string>(
    place: Finding["path"],
    entry: SecretHolder<Field>,
    [file, variable]: readonly [Field, Field],
  ) {
    const [inFile, inEnvironment] = [has(entry, file), has(entry, variable)];
    const field = inFile ? file : variable;
    const target = right(entry, field);
    if (inFile === inEnvironment || target === undefined) return undefined;
    const secret = inFile ? fileSecret(resolve(target), options) : environmentSecret(target, options.env);
    return { path: [...place, field], secret };
  }

  const gateway = sectionOf(checked, "gateway");
  const proxy = proxyOf(gateway && right(gateway, "base_url"), options.env, report);
  const section = gateway && sectionOf(gateway, "tls");
  const tls = section && (await readGatewayTls(section, resolve, options, report));
  const extra = (gateway ? entriesOf(gateway, "headers") : []).flatMap((header, index) => {
    const named = secretOf(["gateway", "headers", index], header, HEADER_FIELDS);
    return named ? [{ ...named, header: right(header, "name") ?? "" }] : [];
  });
  const entries = entriesOf(checked, "keys");
  const written = entries.flatMap((key, index): NamedSecret[] => {
    const named = secretOf(["keys", index], key, API_KEY_FIELDS);
    return named ? [{ ...named, key: right(key, "name") ?? `keys[${index}]` }] : [];
  });
  const directory = right(checked, "keys_dir");
  const taken = entries.map((key) => right(key, "name"));
  const files =
    directory === undefined
      ? undefined
      : await readKeysDirectory(resolve(directory), taken, options, { report, warn });
  const found = [...(files ?? [])].map(([key, path]) => ({
    path: ["keys_dir"],
    key,
    secret: fileSecret(path, options),
    isOptional: true,
  }));
  const keys = [...written, ...found];
  const analytics = sectionOf(checked, "analytics");
  const managementKey = analytics && secretOf(["analytics"], analytics, MANAGEMENT_KEY_FIELDS);
  const secrets = [...keys, ...(managementKey ? [managementKey] : []), ...extra];
  await checkSecrets(secrets, { report, warn, isTolerant: options.isTolerant ?? false });
  // Budgets and probes can name keys of the folder. A folder that cannot be listed is reported instead.
  if (files)
    checkKeys(
      checked,
      [...ownedKeys(checked), ...found.map(({ key }) => ({ name: key, owner: ownerOf(undefined) }))],
      report,
    );
  const probes = entriesOf(checked, "probes");
  const audio = await Promise.all(
    probes.map((probe, index) => readAudio(probe, index, resolve, options, report)),
  );
  const headers =
    extra.length > 0 ? extra.map(({ header: name, secret: value }) => ({ name, value })) : undefined;
  return { read: { keys, managementKey, proxy, tls, headers, audio }, problems, warnings };
}

async function toConfig(
  file: ConfigFile,
  {
    keys: secrets,
    managementKey,
    proxy,
    tls,
    headers,
    audio,
  }: Awaited<ReturnType<typeof readReferences>>["read"],
): Promise<Omit<Config, "hash">> {
  const { gateway, schedule, analytics, credit_value: creditValue } = file;
  const keys = secrets.map(({ key: name = "", secret }, index) => {
    const { owner, show_label: showLabel = false, limit } = file.keys[index] ?? {};
    return { name, secret, owner: ownerOf(owner), showLabel, ...(limit && { limit }) };
  });
  return {
    gateway: {
      baseUrl: gateway.base_url,
      timeoutMs: gateway.timeout,
      deadlineMs: gateway.deadline,
      requestsPerMinute: gateway.requests_per_minute,
      connections: gateway.connections,
      maxPauseMs: gateway.max_pause,
      maxBodyBytes: gateway.max_body,
      tls,
      headers,
      proxy,
    },
    keys,
    analytics: analytics &&
      managementKey && {
        managementKey: managementKey.secret,
        top: analytics.top,
        rates: analytics.rates,
        queries: queryConfigs(analytics.queries),
      },
    discovery: analytics && discoveryConfig(file.discovery, keys.length === 0 && file.keys_dir === undefined),
    account: file.account && accountConfig(file.account),
    budgets: file.budgets.map((entry) => budgetConfig(entry, keys)),
    probing: await probingConfig(file, audio, keys),
    schedule,
    creditValue: creditValue && {
      ...creditValue,
      former: creditValue.former.map(({ until, value }) => ({ untilMs: until, value })),
    },
    seriesLimit: file.series_limit,
    shards: file.shards,
  };
}

/**
 * The keys of `keys_dir`, one for each file, named by the file: their paths in the order of their names; undefined if
 * the folder cannot be listed. `taken`: the names of `keys`.
 */
async function readKeysDirectory(
  directory: string,
  taken: readonly (string | undefined)[],
  { listDirectory }: Pick<Files, "listDirectory">,
  { report, warn }: Readonly<Record<"report" | "warn", Report>>,
): Promise<ReadonlyMap<string, string> | undefined> {
  const entries = await listDirectory(directory).catch((error: unknown) => {
    report(["keys_dir"], `folder ${quotePath(directory)} ${readingFault(error)}`);
  });
  if (!entries) return undefined;
  // Kubernetes keeps the files of a volume in ..data and links to them, so that all of them change at once.
  const written = entries.filter(({ name, isDirectory }) => !name.startsWith(".") && !isDirectory);
  const files = new Map<string, string>();
  for (const name of written.map((entry) => entry.name).toSorted()) {
    const path = `${directory.replace(/\/+$/, "")}/${name}`;
    const index = taken.indexOf(name);
    if (!KEY_NAME.test(name)) {
      const fault = `is skipped: its name does not match ${shownPattern(KEY_NAME)}`;
      warn(["keys_dir"], `file ${quotePath(path)} ${fault}`);
    } else if (index >= 0) {
      report(["keys_dir"], `file ${quotePath(path)} has the same name as keys[${index}]`);
    } else files.set(name, path);
  }
  return files;
}
