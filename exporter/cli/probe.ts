import { decimalSum } from "../metrics/decimal-sum.ts";
import type { Config, ProbeConfig, ProbingConfig } from "../config/config.ts";
import { withoutSecrets } from "../config/secret.ts";
import { createGateway } from "../gateway/gateway.ts";
import type { Endpoint, Gateway, GatewayClient } from "../gateway/port.ts";
import { runProbe } from "../probes/probe-run.ts";
import type { Clock } from "../time/clock.ts";
import type { CommandLine } from "./command-line/command-line.ts";
import { UsageError } from "./command-line/usage-error.ts";
import { loadConfiguration, terminalReporter } from "./load-configuration.ts";
import { probeReport } from "./probe-report.ts";
import type { Terminal } from "./terminal.ts";

/** Runs one probe by hand and prints its result. A running daemon does not know about this run. */
export async function probe(
  { name, force, options: { configFile } }: Extract<CommandLine, { command: "probe" }>,
  terminal: Terminal,
): Promise<number> {
  const { stdout, env, clock, random, build } = terminal;
  const config = await loadConfiguration(configFile, env, terminalReporter(terminal));
  if (!config) return 1;
  const found = config.probing?.probes.find((candidate) => candidate.name === name);
  if (!config.probing || !found)
    throw new UsageError(`Unknown probe "${name}": ${configFile} has ${probeNames(config)}`);
  const gateway = createGateway(config.gateway, {
    clock,
    version: build.version,
    random,
    onAnswer: () => {},
  });
  try {
    const { ok, text } = await probeOnce(found, force ? undefined : config.probing, gateway, clock);
    stdout.write(withoutSecrets(text));
    return ok ? 0 : 1;
  } finally {
    await gateway.close();
  }
}

function probeNames({ probing }: Config): string {
  return probing?.probes.map(({ name }) => `"${name}"`).join(", ") ?? "no probes";
}

/** How the run ended, and what to print. */
export interface ProbeResult {
  readonly ok: boolean;
  readonly text: string;
}

/**
 * Runs a probe once. With a `guard`, the run is refused if its maximum cost, added to today's usage of all probes'
 * keys, exceeds the day's ceiling.
 */
export async function probeOnce(
  chosen: ProbeConfig,
  guard: ProbingConfig | undefined,
  gateway: Pick<Gateway, "clientFor">,
  clock: Clock,
): Promise<ProbeResult> {
  const refusal = guard && (await refusalOf(guard, gateway));
  if (refusal !== undefined) {
    return {
      ok: false,
      text: `Probe "${chosen.name}" is not run: ${refusal}; use --force to run it anyway\n`,
    };
  }
  const outcome = await runProbe(chosen, clientOf(gateway, "transcription", chosen.name), clock);
  return { ok: outcome.failure === undefined, text: probeReport(chosen, outcome) };
}

/** Returns the reason why no probe may run now. */
async function refusalOf(
  { probes, ceilingCredits, maxCostCredits }: ProbingConfig,
  gateway: Pick<Gateway, "clientFor">,
): Promise<string | undefined> {
  const payers = new Map(probes.map(({ key, secret }) => [key, secret]));
  try {
    const answers = await Promise.all(
      [...payers].map(([key, secret]) => clientOf(gateway, "key", key).currentKey(secret)),
    );
    // A refund does not permit more spend.
    const used = answers.flatMap(({ usage: { day } }) => (day === undefined ? [] : Math.max(0, day)));
    if (used.length < answers.length) return "the gateway does not report today's usage of the keys";
    const spent = decimalSum(used);
    if (decimalSum([spent, maxCostCredits]) <= ceilingCredits) return undefined;
    return `${spent} credits are spent today, and with ${maxCostCredits} (max_cost_per_probe) it might exceed ${ceilingCredits} (max_cost_per_day)`;
  } catch (error) {
    return `the spend of the day is unknown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A client outside the engine: a command sends few requests, so each one gets a permit at once. */
function clientOf(gateway: Pick<Gateway, "clientFor">, endpoint: Endpoint, name: string): GatewayClient {
  const permits = { next: () => Promise.resolve({ release: () => {} }) };
  return gateway.clientFor({ endpoint, name, permits, signal: NEVER });
}

const NEVER = new AbortController().signal;
