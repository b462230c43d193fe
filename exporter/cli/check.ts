import type { Config } from "../config/config.ts";
import type { Options } from "./command-line.ts";
import { loadConfiguration, loadWebConfiguration, terminalReporter } from "./load-configuration.ts";
import type { Terminal } from "./terminal.ts";

/** Checks the configuration and the web configuration, and prints a summary or every problem. */
export async function check(
  { configFile, webConfigFile }: Options,
  terminal: Pick<Terminal, "stdout" | "stderr" | "env">,
): Promise<number> {
  const reporter = terminalReporter(terminal);
  const config = await loadConfiguration(configFile, terminal.env, reporter);
  const web = await loadWebConfiguration(webConfigFile, reporter);
  if (!config || !web) return 1;
  terminal.stdout.write(`${configFile}: is valid: ${contentsOf(config)}\n`);
  if (webConfigFile !== undefined) {
    const access = [web.tls ? "TLS" : "plain HTTP", counted(web.users.size, "user")];
    terminal.stdout.write(`${webConfigFile}: is valid: ${access.join(", ")}\n`);
  }
  return 0;
}

/** A summary of the configuration: `20 keys, analytics, 3 budgets`. */
function contentsOf({ keys, analytics, budgets, probing, gateway: { proxy } }: Config): string {
  const parts = [
    counted(keys.length, "key"),
    ...(analytics ? ["analytics"] : []),
    ...(budgets.length > 0 ? [counted(budgets.length, "budget")] : []),
    ...(probing ? [counted(probing.probes.length, "probe")] : []),
    ...(proxy ? [`through the proxy ${proxy.url}`] : []),
  ];
  return parts.join(", ");
}

function counted(amount: number, one: string): string {
  return `${amount} ${one}${amount === 1 ? "" : "s"}`;
}
