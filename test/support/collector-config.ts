import type { Config } from "../../exporter/config/config.ts";

/** A configuration with nothing to poll but what is given. */
export function collectorConfig(parts: Partial<Config>): Config {
  return {
    gateway: {
      baseUrl: "http://127.0.0.1:1",
      timeoutMs: 10_000,
      deadlineMs: 30_000,
      requestsPerMinute: 0,
      connections: 4,
      maxPauseMs: 300_000,
      maxBodyBytes: 1_000_000,
    },
    keys: [],
    analytics: undefined,
    budgets: [],
    schedule: { keys: EVERY_MINUTE, analytics: EVERY_MINUTE },
    creditValue: undefined,
    probing: undefined,
    seriesLimit: 1000,
    ...parts,
  };
}

const EVERY_MINUTE = { kind: "interval", ms: 60_000 } as const;
