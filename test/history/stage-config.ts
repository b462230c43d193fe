import type { Config } from "../../exporter/config/config.ts";
import { loadConfig } from "../../exporter/config/load.ts";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { GOOD_EARS, POOR_EARS } from "../demo-gateway.ts";
import type { Schedule } from "./watched-past.ts";

const TEAMS: Readonly<Record<string, readonly string[]>> = {
  payments: ["billing", "checkout", "fraud"],
  discovery: ["search", "recommendations"],
  support: ["support-bot", "docs", "translate"],
  platform: ["onboarding", "etl", "mobile", "web", "ops"],
  research: ["data-science"],
};

/** A configuration file and the secrets that it names. */
export interface StageConfig {
  readonly text: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Everything that the dashboards can show: owners, budgets of every window, rates, queries, listed keys, the
 * value of a credit, probes.
 */
export function stageConfig(gateway: Gateway, { probes, ...schedule }: Schedule): StageConfig {
  const names = [...gateway.tokens.keys()];
  const file: ConfigFileInput = {
    gateway: { base_url: gateway.url, requests_per_minute: 0 },
    keys: names.map((name) => ({ name, api_key_env: variable(name), owner: { team: teamOf(name) } })),
    analytics: {
      management_key_env: "MANAGEMENT_KEY",
      top: 25,
      rates: true,
      queries: [
        { name: "users", dimensions: ["user"], metrics: ["credits", "requests", "tokens"], window: "month" },
        {
          name: "providers",
          dimensions: ["provider", "model"],
          metrics: ["credits", "requests"],
          window: "day",
        },
      ],
    },
    discovery: {},
    budgets: [
      { name: "everything-month", limit: 6000, window: "month", keys: "all" },
      { name: "payments-month", limit: 900, window: "month", keys: { team: "payments" } },
      { name: "support-week", limit: 150, window: "week", keys: { team: "support" } },
      { name: "research-day", limit: 60, window: "day", keys: { team: "research" } },
    ],
    schedule: { ...schedule, discovery: schedule.analytics },
    ...(probes === undefined ? {} : probing(probes)),
    credit_value: { currency: "EUR", value: 0.86 },
  };
  const secrets = names.map((name): [string, string] => [variable(name), gateway.tokens.get(name) ?? ""]);
  return {
    text: JSON.stringify(file),
    environment: { MANAGEMENT_KEY: gateway.managementToken, ...Object.fromEntries(secrets) },
  };
}

/** One probe that succeeds and one that transcribes badly. A spend is known after the timeout. */
function probing(schedule: string): Pick<ConfigFileInput, "probes" | "probe_spend"> {
  const probe = { key: "translate", response_format: "verbose_json", schedule, timeout: "5s" } as const;
  return {
    probes: [
      { ...probe, name: "ears", model: GOOD_EARS, expected_language: "en" },
      { ...probe, name: "poor-ears", model: POOR_EARS, upload: "multipart" },
    ],
    probe_spend: { max_cost_per_day: 1000, max_cost_per_probe: 0.01 },
  };
}

/** The same, read as the exporter reads it. */
export async function readStageConfig({ text, environment }: StageConfig): Promise<Config> {
  const loaded = await loadConfig({
    path: "stage.yaml",
    readFile: () => Promise.resolve(text),
    listDirectory: () => Promise.resolve([]),
    readBytes: () => Promise.reject(new Error("There are no files")),
    env: environment,
  });
  if (!loaded.ok) throw new Error(`Cannot use the stage's configuration: ${JSON.stringify(loaded.problems)}`);
  return loaded.config;
}

function variable(key: string): string {
  return `KEY_${key.replaceAll("-", "_")}`;
}

function teamOf(key: string): string {
  return Object.keys(TEAMS).find((team) => TEAMS[team]?.includes(key)) ?? "";
}
