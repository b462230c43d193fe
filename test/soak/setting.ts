import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import type { KeyBudget } from "./check-sums.ts";
import { comersAndGoers, fleet, team } from "./fleet.ts";
import { deadlineMs, timeoutMs } from "./plan.ts";

/** The files of a soak: a folder of keys that come, go and change, and two alternating configurations. */
export interface Setting {
  readonly directory: string;
  readonly configFile: string;
  readonly names: readonly string[];
  readonly comersAndGoers: readonly string[];
  readonly budgets: readonly KeyBudget[];
  write(gatewayUrl: string): void;
  /** Removes keys, or brings them back, and writes the other configuration. Send a SIGHUP afterwards. */
  turn(gatewayUrl: string): void;
  /** Whether the files lack the keys that come and go. */
  readonly isAway: boolean;
  remove(): void;
}

export function createSetting(size: number, intervalMs: number): Setting {
  const directory = mkdtempSync(join(tmpdir(), "soak-"));
  const configFile = join(directory, "config.yaml");
  const names = fleet(size).map(({ name }) => name);
  const goers = comersAndGoers(names);
  let isAway = false;
  mkdirSync(join(directory, "away"));
  const write = (gatewayUrl: string): void =>
    // JSON is YAML.
    writeFileSync(configFile, JSON.stringify(configuration(gatewayUrl, intervalMs, names, isAway)));
  return {
    directory,
    configFile,
    names,
    comersAndGoers: goers,
    budgets: [
      { name: "fleet", window: "day", members: names },
      { name: "team", window: "month", members: team(names) },
    ],
    write,
    turn: (gatewayUrl) => {
      const [from, to] = isAway ? ["away", "keys"] : ["keys", "away"];
      for (const name of goers) renameSync(join(directory, from, name), join(directory, to, name));
      isAway = !isAway;
      write(gatewayUrl);
    },
    get isAway() {
      return isAway;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function configuration(url: string, intervalMs: number, names: readonly string[], other: boolean) {
  const interval = `${intervalMs}ms`;
  return {
    gateway: {
      base_url: url,
      requests_per_minute: 0,
      timeout: `${timeoutMs(intervalMs)}ms`,
      deadline: `${deadlineMs(intervalMs)}ms`,
      max_body: "1MiB",
    },
    keys_dir: "keys",
    analytics: { management_key_file: "management", top: other ? 20 : 50 },
    budgets: [
      { name: "fleet", limit: 1000, window: "day", keys: "all" },
      { name: "team", limit: 100, window: "month", keys: [...team(names)] },
      { name: "model", limit: 100, window: "week", model: "acme/model-1" },
      ...(other
        ? []
        : [{ name: "prepaid", limit: 5000, window: "total", since: "2026-01-01", account: true } as const]),
    ],
    schedule: { keys: interval, analytics: interval },
  } satisfies ConfigFileInput;
}
