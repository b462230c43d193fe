import { stringify } from "yaml";
import { z } from "zod";
import { parseConfig } from "../exporter/config/parse.ts";
import type { ConfigFile } from "../exporter/config/schema.ts";
import { probeAudio } from "./probe-audio.ts";

/** Folder in the container where the keys are mounted: each file is a key. */
export const KEYS_PATH = "/run/secrets/aigateway/keys";
export const MANAGEMENT_PATH = "/run/secrets/aigateway/management";
/** Name of the only entry in the management key's Secret. */
export const MANAGEMENT_ENTRY = "management-key";

export interface ExporterConfig {
  /** The configuration file as YAML. */
  readonly text: string;
  readonly file: ConfigFile;
  /** The probes' recordings by file name, in base64. */
  readonly audio: Readonly<Record<string, string>>;
}

/** The secrets that exist: names of keys, or undefined if only the cluster knows them. */
export interface AvailableSecrets {
  readonly keys: readonly string[] | undefined;
  readonly management: boolean;
}

export type ComposedConfig =
  | { readonly ok: true; readonly config: ExporterConfig }
  /** `exporter.gateway.base_url: is missing; …` */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Composes the configuration for the ConfigMap: what the user wrote, plus the paths where the secrets are mounted. The exporter's
 * own schema checks it, so that a preview reports what the exporter would reject.
 */
export function composeConfig(
  written: Readonly<Record<string, unknown>>,
  secrets: AvailableSecrets,
): ComposedConfig {
  const problems = placesOf(written).map(
    (path) => `exporter.${path}: is set to the path where the secret is mounted; remove it`,
  );
  const { probes, entries: audio } = probeAudio(written["probes"], problems);
  const value = {
    ...written,
    ...probes,
    ...keysOf(written, secrets, problems),
    ...analyticsOf(written, secrets, problems),
  };
  const parsed = parseConfig(value);
  if (!parsed.ok) {
    problems.push(
      ...parsed.problems.map(({ path, message }) =>
        path === "" ? `exporter: ${message}` : `exporter.${path}: ${message}`,
      ),
    );
  }
  return parsed.ok && problems.length === 0
    ? { ok: true, config: { text: stringify(value, { lineWidth: 0 }), file: parsed.file, audio } }
    : { ok: false, problems };
}

const keyEntries = z.array(z.looseObject({ name: z.string() }));
const entry = z.record(z.string(), z.unknown());

const KEY_PLACES = ["api_key_file", "api_key_env"];
const MANAGEMENT_PLACES = ["management_key_file", "management_key_env"];

function without(value: Readonly<Record<string, unknown>>, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name)));
}

/** Paths and variables of secrets that the user wrote. They cannot work, because the pod has neither those files nor those variables. */
function placesOf(written: Readonly<Record<string, unknown>>): readonly string[] {
  const entries = z.array(z.unknown()).safeParse(written["keys"]).data ?? [];
  return [
    ...fieldsOf(written, ["keys_dir"]),
    ...entries.flatMap((value, index) =>
      fieldsOf(value, KEY_PLACES).map((field) => `keys[${index}].${field}`),
    ),
    ...fieldsOf(written["analytics"], MANAGEMENT_PLACES).map((field) => `analytics.${field}`),
  ];
}

function fieldsOf(value: unknown, fields: readonly string[]): readonly string[] {
  const found = entry.safeParse(value).data ?? {};
  return fields.filter((field) => found[field] !== undefined);
}

function keysOf(
  written: Readonly<Record<string, unknown>>,
  { keys }: AvailableSecrets,
  problems: string[],
): object {
  // A value that is not a list of named keys is left unchanged: the schema reports what is wrong with it.
  const entries = keyEntries.safeParse(written["keys"] ?? []).data;
  if (!entries) return {};
  if (keys === undefined && entries.length === 0) return { keys_dir: KEYS_PATH };
  for (const [index, { name }] of entries.entries()) {
    if (keys?.includes(name) === false) {
      problems.push(
        `exporter.keys[${index}].name: ${JSON.stringify(name)} has no secret; set it: pulumi config set --secret --path 'keys["${name}"]'`,
      );
    }
  }
  const named = entries.map(({ name }) => name);
  const added = (keys ?? []).filter((name) => !named.includes(name)).toSorted();
  const all = [...entries, ...added.map((name) => ({ name }))];
  return all.length === 0
    ? {}
    : { keys: all.map((key) => ({ ...without(key, KEY_PLACES), api_key_file: `${KEYS_PATH}/${key.name}` })) };
}

function analyticsOf(
  written: Readonly<Record<string, unknown>>,
  { management }: AvailableSecrets,
  problems: string[],
): object {
  const found = entry.safeParse(written["analytics"] ?? {}).data;
  if (!found) return {};
  const analytics = without(found, MANAGEMENT_PLACES);
  if (management) {
    return { analytics: { ...analytics, management_key_file: `${MANAGEMENT_PATH}/${MANAGEMENT_ENTRY}` } };
  }
  if (written["analytics"] !== undefined) {
    problems.push("exporter.analytics: needs a management key; set managementKey or managementSecret");
    // Without a path, the schema would report the same problem in terms that do not apply to a deployment.
    return { analytics: { ...analytics, management_key_file: MANAGEMENT_PATH } };
  }
  return {};
}
