import { stringify } from "yaml";
import { z } from "zod";
import { parseConfig } from "../exporter/config/parse.ts";
import type { ConfigFile } from "../exporter/config/schema.ts";
import { probeAudio } from "./probe-audio.ts";

/** Where the keys are mounted in the container: each file is a key. */
export const KEYS_PATH = "/run/secrets/aigateway/keys";
export const MANAGEMENT_PATH = "/run/secrets/aigateway/management";
/** The only entry of the management key's Secret. */
export const MANAGEMENT_ENTRY = "management-key";

export interface ExporterConfig {
  /** The file, YAML. */
  readonly text: string;
  readonly file: ConfigFile;
  /** Recordings of the probes by the name of their file, base64. */
  readonly audio: Readonly<Record<string, string>>;
}

/** Which secrets there are: names of keys, or undefined when only the cluster knows them. */
export interface AvailableSecrets {
  readonly keys: readonly string[] | undefined;
  readonly management: boolean;
}

export type ComposedConfig =
  | { readonly ok: true; readonly config: ExporterConfig }
  /** `exporter.gateway.base_url: is missing; …` */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * The configuration as it stands in the ConfigMap: what the user wrote, with the places where secrets are mounted filled
 * in. It is checked by the exporter's own schema, so that a preview says what the exporter would refuse.
 */
export function composeConfig(
  written: Readonly<Record<string, unknown>>,
  secrets: AvailableSecrets,
): ComposedConfig {
  const problems = placesOf(written).map(
    (path) => `exporter.${path}: is filled in with where the secret is mounted; leave it out`,
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

/** Places of secrets that the user wrote. A pod has no other files and no variables, so they could not be right. */
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
  // What is no list of named keys is left as it is: the schema says what is wrong with it.
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
    problems.push("exporter.analytics: there is no management key; set managementKey or managementSecret");
    // The schema would say the same in words that do not fit here.
    return { analytics: { ...analytics, management_key_file: MANAGEMENT_PATH } };
  }
  return {};
}
