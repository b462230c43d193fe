import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Config } from "../../exporter/config/config.ts";
import { systemFiles } from "../../exporter/secrets/files.ts";
import { loadConfig } from "../../exporter/config/load.ts";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";

export interface ExporterFiles {
  readonly directory: string;
  readonly configFile: string;
  /** The variables that the configuration names, with their secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes a changed configuration, for a reload. */
  write(content: Partial<ConfigFileInput> | string): void;
  remove(): void;
}

export interface ExporterFilesOptions {
  /** Base URL of the gateway, `http://127.0.0.1:8402/api/v1`. */
  readonly url: string;
  /** API keys by name. */
  readonly tokens: ReadonlyMap<string, string>;
  /** If absent, no analytics are polled: `writeExporterFiles(gateway)` polls them. */
  readonly managementToken?: string;
  /** Differences from the minimal configuration. */
  readonly content?: Partial<ConfigFileInput>;
}

/**
 * Writes a configuration into its own folder. Secrets come from the environment, so that no file read takes real
 * time.
 */
export function writeExporterFiles(options: ExporterFilesOptions): ExporterFiles {
  const directory = mkdtempSync(join(tmpdir(), "exporter-test-"));
  const configFile = join(directory, "config.yaml");
  const names = [...options.tokens.keys()];
  const content = contentOf(options, names);
  const write = (change: Partial<ConfigFileInput> | string): void =>
    // JSON is YAML.
    writeFileSync(
      configFile,
      typeof change === "string" ? change : JSON.stringify({ ...content, ...change }),
    );
  write({});
  const environment = Object.fromEntries(
    [...options.tokens.values()].map((token, index) => [`KEY_${index}`, token]),
  );
  return {
    directory,
    configFile,
    environment: { ...environment, MANAGEMENT_KEY: options.managementToken ?? "" },
    write,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** The configuration as the exporter reads it. */
export async function readConfig({
  configFile,
  environment,
}: {
  readonly configFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): Promise<Config> {
  const loaded = await loadConfig({ path: configFile, ...systemFiles, env: environment });
  if (!loaded.ok) throw new Error(`Cannot load "${configFile}": ${JSON.stringify(loaded.problems)}`);
  return loaded.config;
}

function contentOf(options: ExporterFilesOptions, names: readonly string[]): ConfigFileInput {
  const { url, managementToken, content } = options;
  return {
    gateway: { base_url: url, requests_per_minute: 0 },
    keys: names.map((name, index) => ({ name, api_key_env: `KEY_${index}` })),
    ...(managementToken === undefined ? {} : { analytics: { management_key_env: "MANAGEMENT_KEY" } }),
    ...content,
  };
}
