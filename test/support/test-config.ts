import type {
  AnalyticsConfig,
  BudgetConfig,
  Config,
  GatewayConfig,
  KeyConfig,
} from "../../exporter/config/config.ts";
import { Secret, type SecretSource } from "../../exporter/secrets/secret.ts";

/** A configuration with only the given parts. */
export function testConfig(parts: Partial<Config> = {}): Config {
  return {
    gateway: testGatewayConfig(),
    keys: [],
    analytics: undefined,
    discovery: undefined,
    budgets: [],
    schedule: { keys: EVERY_MINUTE, analytics: EVERY_MINUTE, discovery: EVERY_MINUTE },
    creditValue: undefined,
    probing: undefined,
    hash: 0,
    seriesLimit: 1000,
    ...parts,
  };
}

/** A gateway without a server and without a rate limit. */
export function testGatewayConfig(parts: Partial<GatewayConfig> = {}): GatewayConfig {
  return {
    baseUrl: "http://127.0.0.1:1",
    timeoutMs: 10_000,
    deadlineMs: 30_000,
    requestsPerMinute: 0,
    connections: 4,
    maxPauseMs: 300_000,
    maxBodyBytes: 1_000_000,
    ...parts,
  };
}

export function testKey(name: string, parts: Partial<KeyConfig> = {}): KeyConfig {
  const owner = { team: "", project: "", costCenter: "" };
  return { name, secret: secretSource(`sk-${name}`), owner, showLabel: false, ...parts };
}

/** A budget of 100 credits a month for the whole account. */
export function testBudget(name: string, parts: Partial<BudgetConfig> = {}): BudgetConfig {
  return { name, limit: 100, period: { kind: "month" }, scope: { kind: "account" }, team: "", ...parts };
}

export function testAnalytics(parts: Partial<AnalyticsConfig> = {}): AnalyticsConfig {
  return { managementKey: secretSource("sk-management"), top: 50, rates: false, queries: [], ...parts };
}

export function secretSource(text: string): SecretSource {
  return { origin: "the test", read: () => Promise.resolve(new Secret(text)) };
}

const EVERY_MINUTE = { kind: "interval", ms: 60_000 } as const;
