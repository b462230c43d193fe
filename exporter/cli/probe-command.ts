import { decimalSum } from "../budgets/decimal-sum.ts";
import type { Config, ProbeConfig, ProbingConfig } from "../config/config.ts";
import { createGateway, type PaidGateway } from "../gateway/gateway.ts";
import type { HttpDependencies } from "../gateway/http.ts";
import { probeReport } from "./probe-report.ts";
import { runProbe } from "../probes/probe-run.ts";

/** How the command `probe` has ended, and what it prints. */
export interface ProbeResult {
  readonly ok: boolean;
  readonly text: string;
}

/** The probe of a name; undefined: there is none. */
export function findProbe(config: Config, name: string): ProbeConfig | undefined {
  return config.probing?.probes.find((probe) => probe.name === name);
}

/**
 * Runs one probe by hand, unless the ceiling of the day does not hold its highest cost by what the keys of the probes have
 * used today. A daemon that runs meanwhile does not know of it.
 */
export async function runProbeCommand(
  config: Config,
  probe: ProbeConfig,
  force: boolean,
  { clock, version, random }: Pick<HttpDependencies, "clock" | "version" | "random">,
): Promise<ProbeResult> {
  const gateway = createGateway(config.gateway, {
    clock,
    version,
    random,
    admit: () => Promise.resolve({ done: () => {} }),
    onAnswer: () => {},
  });
  try {
    const refusal = force || !config.probing ? undefined : await refusalOf(config.probing, probe, gateway);
    if (refusal !== undefined) return { ok: false, text: `${refusal}; --force runs it all the same\n` };
    const outcome = await runProbe(probe, gateway, clock, NEVER);
    return { ok: outcome.failure === undefined, text: probeReport(probe, outcome) };
  } finally {
    await gateway.close();
  }
}

/** Why the probe must not be run. */
async function refusalOf(
  { probes, ceilingCredits, maxCostCredits }: ProbingConfig,
  { name }: ProbeConfig,
  gateway: PaidGateway,
): Promise<string | undefined> {
  const refused = (why: string) => `Probe "${name}" is not run: ${why}`;
  const payers = new Map(probes.map(({ key, secret }) => [key, secret]));
  try {
    const answers = await Promise.all(
      [...payers].map(([key, secret]) => gateway.readKey(key, secret, NEVER)),
    );
    // A refund is no leave to spend more.
    const used = answers.flatMap(({ usage: { day } }) => (day === undefined ? [] : Math.max(0, day)));
    if (used.length < answers.length)
      return refused("the gateway does not tell what the keys have used today");
    const spent = decimalSum(used);
    if (decimalSum([spent, maxCostCredits]) <= ceilingCredits) return undefined;
    return refused(
      `${spent} credits are spent today, and with ${maxCostCredits} (max_cost_per_probe) it might be more than ${ceilingCredits} (max_cost_per_day)`,
    );
  } catch (error) {
    return refused(
      `the spend of the day is not known: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const NEVER = new AbortController().signal;
