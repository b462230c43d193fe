import { onTestFinished } from "vitest";
import { runCommandLine } from "../../../exporter/cli/command-line/command-line.ts";
import type { ConfigFileInput } from "../../../exporter/config/schema.ts";
import type { Gateway, GatewayOptions } from "../../gateway/gateway.ts";
import { createManualClock, type ManualClock } from "../../support/clock.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { createTerminalDouble } from "./terminal-double.ts";

export const NOON = Date.UTC(2026, 10, 18, 12);

/** Differences from a gateway and a configuration that work. */
export interface Stage {
  readonly options?: GatewayOptions;
  readonly prepare?: (gateway: Gateway) => void;
  readonly content?: Partial<ConfigFileInput>;
  /** The secrets by key; those of the gateway unless given. */
  readonly tokens?: ReadonlyMap<string, string>;
  /** The management key: a token, or the one of an ordinary key. */
  readonly managementKey?: string;
  readonly flags?: readonly string[];
  readonly url?: string;
  readonly gateway?: Partial<ConfigFileInput["gateway"]>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether a person reads standard error. */
  readonly isTerminal?: boolean;
}

export type CheckCases = readonly (readonly [title: string, stage?: () => Promise<Stage> | Stage])[];

/** Checks a configuration of two keys, a management key and a balance. The path and the address are shortened. */
export async function checkOnline(stage: Stage = {}) {
  return (await openStage(stage)).check();
}

/** The gateway and the configuration of a stage, which `check` and the daemon can be run on. */
export async function openStage(stage: Stage) {
  const clock = createManualClock(NOON);
  const gateway = await startSimulatedGateway({
    now: () => clock.now(),
    startAt: NOON,
    ...stage.options,
    switches: { extraKeyFields: true, rangeLimits: true, ...stage.options?.switches },
  });
  gateway.addKey({ name: "billing" });
  gateway.addKey({ name: "search" });
  gateway.moveCredits({ kind: "purchase", micros: 100_500_000 });
  gateway.spend({ key: "billing", model: "acme/one", app: "Desk", micros: 25_750_001 });
  stage.prepare?.(gateway);
  const url = stage.url ?? gateway.url;
  const files = writeExporterFiles({
    url,
    tokens: stage.tokens ?? new Map([...gateway.tokens].filter(([name]) => name !== "admin")),
    managementToken:
      stage.managementKey === "ordinary"
        ? gateway.addKey({ name: "admin" })
        : (stage.managementKey ?? gateway.managementToken),
    content: {
      gateway: { base_url: url, requests_per_minute: 0, deadline: "10m", ...stage.gateway },
      discovery: {},
      ...stage.content,
    },
  });
  onTestFinished(() => files.remove());
  const environment = { ...files.environment, ...stage.environment };
  const lines = (text: string) =>
    text
      .replaceAll(files.configFile, "config.yaml")
      .replaceAll(url, "URL")
      .split("\n")
      .filter((one) => one !== "");
  const requests = () => gateway.log.lines.map(({ method, path }) => `${method} ${path}`);
  return {
    check: async () => {
      const { terminal, printed } = createTerminalDouble(environment);
      const stderr = { ...terminal.stderr, isTTY: stage.isTerminal === true };
      const argv = ["check", ...(stage.flags ?? ["--online"]), `--config.file=${files.configFile}`];
      const code = await whileTimePasses(clock, runCommandLine(argv, { ...terminal, stderr, clock }));
      return { code, facts: lines(printed.stdout), findings: lines(printed.stderr), requests };
    },
    /** The log of the daemon that runs for so long: warnings and errors. */
    daemonLog: async (ms: number) => {
      const { terminal, printed, untilPrinted, stop } = createTerminalDouble(environment);
      const argv = ["--web.listen-address=127.0.0.1:0", `--config.file=${files.configFile}`];
      const ended = runCommandLine(argv, { ...terminal, clock });
      await Promise.race([ended, untilPrinted("Listening")]);
      // Nothing of this happens between two of these steps.
      await clock.runTo(clock.now() + ms, 5000);
      stop();
      await ended;
      return lines(printed.stderr).filter((line) => !line.startsWith('{"level":"info"'));
    },
  };
}

async function whileTimePasses<Value>(clock: ManualClock, running: Promise<Value>): Promise<Value> {
  const state = { isRunning: true };
  const ended = running.finally(() => (state.isRunning = false));
  while (state.isRunning) await clock.runTo(clock.now() + 1000);
  return ended;
}

export const warning = (text: string) => `warning: config.yaml: ${text}`;

export const WORKSPACE = "0f5e7d2c-1a3b-4c5d-8e9f-001122334455";

/** A query of one's own beside the built-in ones. */
export function queries(query: object): Partial<ConfigFileInput> {
  const own = { name: "own", dimensions: ["user"], window: "month" as const, ...query };
  return { analytics: { management_key_env: "MANAGEMENT_KEY", queries: [own, ...NO_BUILT_IN] } };
}

/** Queries of the same names replace the built-in ones. */
const NO_BUILT_IN = (["day", "month"] as const).map((window) => ({
  name: `keys-${window}`,
  dimensions: ["model"],
  window: "day" as const,
}));
