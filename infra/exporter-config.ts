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

/**
 * What the deployment adds: shards, and the secrets that exist, names of keys, or undefined if only the
 * cluster knows them.
 */
export interface AvailableSecrets {
  readonly keys: readonly string[] | undefined;
  readonly management: boolean;
  /** Undefined: unknown. */
  readonly shards?: number | undefined;
}

export type ComposedConfig =
  | { readonly ok: true; readonly config: ExporterConfig }
  /** `exporter.gateway.base_url: is missing; …` */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Composes the configuration for the ConfigMap: what the user wrote, plus the paths where the secrets are
 * mounted. The exporter's own schema checks it, so that a preview reports what the exporter would reject.
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
    ...shardsOf(written, secrets, problems),
  };
  return parsedConfig(value, audio, problems);
}

function parsedConfig(
  value: object,
  audio: ExporterConfig["audio"],
  found: readonly string[],
): ComposedConfig {
  const parsed = parseConfig(value);
  if (parsed.ok && found.length === 0)
    return { ok: true, config: { text: stringify(value, { lineWidth: 0 }), file: parsed.file, audio } };
  const wrong = parsed.ok ? [] : parsed.problems;
  const problems = wrong.map(({ path, message }) => {
    const text = IN_SETTINGS[message] ?? message;
    return path === "" ? `exporter: ${text}` : `exporter.${path}: ${text}`;
  });
  return { ok: false, problems: [...found, ...problems] };
}

/**
 * The configuration of an exporter that is not deployed here, which the rules follow. It has its own secrets, so it may
 * name their places, and may lack them. `shards`: the setting, for processes that get their number by a flag.
 */
export function describedConfig(written: Readonly<Record<string, unknown>>, shards: number): ComposedConfig {
  const { keys, keys_dir: directory, analytics } = written;
  const entries = keyEntries.safeParse(keys).data;
  const isWithoutKeys = directory === undefined && (keys === undefined || entries?.length === 0);
  const value = {
    ...written,
    ...(entries && { keys: entries.map((key) => withPlace(key, KEY_PLACES, KEYS_PATH)) }),
    // A management key alone lists the keys of the account.
    ...(isWithoutKeys && analytics === undefined && { keys_dir: KEYS_PATH }),
    ...withAnalytics(analytics ?? {}),
    ...(shards > 1 && written["shards"] === undefined && { shards }),
  };
  const problems =
    shards > 1 && written["shards"] !== undefined && written["shards"] !== shards
      ? [
          `exporter.shards: is ${JSON.stringify(written["shards"])}, but the setting shards is ${shards}; set one of them only`,
        ]
      : [];
  return parsedConfig(value, {}, problems);
}

/** One setting decides the number of pods and how the keys are divided. */
function shardsOf(
  written: Readonly<Record<string, unknown>>,
  { shards = 1 }: AvailableSecrets,
  problems: string[],
): object {
  if (written["shards"] !== undefined)
    problems.push("exporter.shards: is set by the setting shards; remove it");
  return shards === 1 ? {} : { shards };
}

const NEEDS_MANAGEMENT = "needs a management key; set managementKey or managementSecret";

/** Advice that differs for a deployment, which adds the paths of secrets and the section analytics itself. */
const IN_SETTINGS: Readonly<Record<string, string>> = {
  "needs the section analytics": NEEDS_MANAGEMENT,
  "nothing to poll; set keys, keys_dir or analytics":
    "nothing to poll; set keys or keysSecret, managementKey or managementSecret",
};

const keyEntries = z.array(z.looseObject({ name: z.string() }));
const entry = z.record(z.string(), z.unknown());

const KEY_PLACES = ["api_key_file", "api_key_env"];
const MANAGEMENT_PLACES = ["management_key_file", "management_key_env"];

/** The value with a path of its secret, if it has none. */
function withPlace(value: object, places: readonly string[], path: string): object {
  const [field = ""] = places;
  return places.some((name) => name in value) ? value : { ...value, [field]: path };
}

function withAnalytics(written: unknown): object {
  const analytics = entry.safeParse(written).data;
  return analytics ? { analytics: withPlace(analytics, MANAGEMENT_PLACES, MANAGEMENT_PATH) } : {};
}

function without(value: Readonly<Record<string, unknown>>, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name)));
}

/**
 * Paths and variables of secrets that the user wrote. They cannot work, because the pod has neither those
 * files nor those variables.
 */
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
    problems.push(`exporter.analytics: ${NEEDS_MANAGEMENT}`);
    // Without a path, the schema would report the same problem in terms that do not apply to a deployment.
    return { analytics: { ...analytics, management_key_file: MANAGEMENT_PATH } };
  }
  return {};
}
