import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { stringify } from "yaml";
import type { Config } from "../exporter/config/config.ts";
import { loadConfig } from "../exporter/config/load.ts";
import { demoBudgets } from "./demo-gateway.ts";
import type { Gateway } from "./gateway/gateway.ts";

const TEAMS: Readonly<Record<string, readonly string[]>> = {
  payments: ["billing", "checkout", "fraud"],
  discovery: ["search", "recommendations"],
  support: ["support-bot", "docs", "translate"],
  platform: ["onboarding", "etl", "mobile", "web", "ops", "ears"],
  research: ["data-science"],
  marketing: ["marketing"],
};

/** Where the exporter finds the secrets of the demo, as fields of its configuration. */
export interface DemoSecrets {
  readonly key: (name: string) => Readonly<Record<string, string>>;
  readonly management: Readonly<Record<string, string>>;
}

/** A configuration of the exporter for the demo's gateway, which must listen already: every key with its team, and budgets. */
function demoConfiguration(
  gateway: Gateway,
  secrets: DemoSecrets,
  schedule: { readonly keys: string; readonly analytics: string },
) {
  return {
    gateway: { base_url: gateway.url, timeout: "2s", deadline: "3s", requests_per_minute: 1200 },
    keys: [...gateway.tokens.keys()].map((name) => ({
      name,
      ...secrets.key(name),
      owner: { team: teamOf(name) },
    })),
    analytics: secrets.management,
    // One key belongs to another workspace, so its spend stays unwatched.
    discovery: {},
    budgets: demoBudgets(gateway, "payments", TEAMS["payments"] ?? []),
    schedule: { ...schedule, discovery: schedule.analytics },
    credit_value: { currency: "EUR", value: 0.86 },
  };
}

function teamOf(key: string): string {
  return Object.keys(TEAMS).find((team) => TEAMS[team]?.includes(key)) ?? "";
}

/** A configuration file and the secrets that it names. */
export interface ConfigText {
  readonly text: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The same as a file whose secrets are in the environment; `changes` replace whole sections. */
export function demoFile(
  gateway: Gateway,
  schedule: Parameters<typeof demoConfiguration>[2],
  changes: object = {},
): ConfigText {
  const secrets = {
    key: (name: string) => ({ api_key_env: variable(name) }),
    management: { management_key_env: "MANAGEMENT_KEY" },
  };
  const keys = [...gateway.tokens].map(([name, token]) => [variable(name), token]);
  return {
    text: JSON.stringify({ ...demoConfiguration(gateway, secrets, schedule), ...changes }),
    environment: { MANAGEMENT_KEY: gateway.managementToken, ...Object.fromEntries(keys) },
  };
}

/** Writes the configuration to `config.yaml` in the folder, with the secrets beside it, and returns its path. */
export async function writeDemoFiles(
  gateway: Gateway,
  {
    directory,
    mark = "",
    schedule,
    changes = {},
  }: {
    readonly directory: string;
    /** The first line of the configuration. */
    readonly mark?: string;
    readonly schedule: Parameters<typeof demoConfiguration>[2];
    readonly changes?: object;
  },
): Promise<string> {
  const folder = resolve(directory);
  const secrets = {
    key: (name: string) => ({ api_key_file: join(folder, "keys", name) }),
    management: { management_key_file: join(folder, "management") },
  };
  const file = { ...demoConfiguration(gateway, secrets, schedule), ...changes };
  await mkdir(join(folder, "keys"), { recursive: true });
  for (const [name, token] of gateway.tokens)
    await writeFile(join(folder, "keys", name), `${token}\n`, { mode: 0o600 });
  await writeFile(join(folder, "management"), `${gateway.managementToken}\n`, { mode: 0o600 });
  const configuration = join(folder, "config.yaml");
  await writeFile(configuration, `${mark}${stringify(file)}`);
  return configuration;
}

function variable(key: string): string {
  return `KEY_${key.replaceAll("-", "_")}`;
}

/** Reads it as the exporter does. */
export async function readConfigText({ text, environment }: ConfigText): Promise<Config> {
  const loaded = await loadConfig({
    path: "demo.yaml",
    readFile: () => Promise.resolve(text),
    listDirectory: () => Promise.resolve([]),
    readBytes: () => Promise.reject(new Error("There are no files")),
    env: environment,
  });
  if (!loaded.ok) throw new Error(`Cannot use the configuration: ${JSON.stringify(loaded.problems)}`);
  return loaded.config;
}
