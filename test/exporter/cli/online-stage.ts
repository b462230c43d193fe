import { onTestFinished } from "vitest";
import { runCommandLine } from "../../../exporter/cli/command-line/command-line.ts";
import type { ConfigFileInput } from "../../../exporter/config/schema.ts";
import type { Gateway, GatewayOptions } from "../../gateway/gateway.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { createFastClock } from "../../support/fast-time.ts";
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
}

/** Checks a configuration of two keys, a management key and a balance. The path and the address are shortened. */
export async function checkOnline(stage: Stage = {}) {
  // A second at the pace of the daemon takes ten milliseconds.
  const clock = createFastClock({ speed: 100, realMs: Date.now(), shownMs: NOON });
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
  const gatewayUrl = stage.url ?? gateway.url;
  const files = writeExporterFiles({
    gatewayUrl,
    tokens: stage.tokens ?? new Map([...gateway.tokens].filter(([name]) => name !== "admin")),
    managementToken:
      stage.managementKey === "ordinary"
        ? gateway.addKey({ name: "admin" })
        : (stage.managementKey ?? gateway.managementToken),
    content: {
      gateway: { base_url: gatewayUrl, requests_per_minute: 0, deadline: "10m", ...stage.gateway },
      discovery: {},
      ...stage.content,
    },
  });
  onTestFinished(() => files.remove());
  const { terminal, printed } = createTerminalDouble({ ...files.environment, ...stage.environment });
  const requests = () => gateway.log.lines.map(({ method, path }) => `${method} ${path}`);
  const code = await runCommandLine(
    ["check", ...(stage.flags ?? ["--online"]), `--config.file=${files.configFile}`],
    { ...terminal, clock },
  );
  const lines = (text: string) =>
    text
      .replaceAll(files.configFile, "config.yaml")
      .replaceAll(gatewayUrl, "URL")
      .split("\n")
      .filter((one) => one !== "");
  return { code, facts: lines(printed.stdout), findings: lines(printed.stderr), requests };
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
