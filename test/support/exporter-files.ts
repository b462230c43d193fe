import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ConfigFileInput } from "../../exporter/config/schema.ts";

export interface ExporterFiles {
  readonly directory: string;
  readonly configFile: string;
  /** The variables that the configuration names, with their secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes the configuration again, for a reload. */
  write(content: Partial<ConfigFileInput> | string): void;
  remove(): void;
}

export interface ExporterFilesOptions {
  /** Of the gateway, `http://127.0.0.1:8402/api/v1`. */
  readonly gatewayUrl: string;
  /** API keys by name. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Without it no analytics are asked for. */
  readonly managementToken?: string;
  /** What differs from the shortest configuration. */
  readonly content?: Partial<ConfigFileInput>;
}

/** A configuration in a folder of its own. Secrets come from the environment: reading them takes no time of the clock. */
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

function contentOf(options: ExporterFilesOptions, names: readonly string[]): ConfigFileInput {
  const { gatewayUrl, managementToken, content } = options;
  return {
    gateway: { base_url: gatewayUrl, requests_per_minute: 0 },
    keys: names.map((name, index) => ({ name, api_key_env: `KEY_${index}` })),
    ...(managementToken === undefined ? {} : { analytics: { management_key_env: "MANAGEMENT_KEY" } }),
    ...content,
  };
}
