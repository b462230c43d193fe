import { beginsLater } from "../../budgets/budget-status.ts";
import type { Config } from "../../config/config.ts";
import { redact } from "../../secrets/redact.ts";
import { type OwnPart, ownPart } from "../../config/shards/part.ts";
import { formatDuration } from "../../time/duration.ts";
import { requestOnline } from "./request-online.ts";
import type { Options } from "../command-line/program.ts";
import { loadConfiguration, loadWebConfiguration, terminalReporter } from "../load-configuration.ts";
import { counted, onlineReport } from "./online-report.ts";
import { requestTable, roundMs } from "./request-table.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Checks the configuration and the web configuration, and prints a summary or every problem. With `isOnline`
 * it asks the gateway once as well: everything that the exporter polls, and nothing that costs credits.
 */
export async function check(
  { configFile, webConfigFile, totalShards }: Options,
  terminal: Pick<Terminal, "stdout" | "stderr" | "env" | "clock" | "random" | "build">,
  isOnline = false,
): Promise<number> {
  const { stdout } = terminal;
  const reporter = terminalReporter(terminal);
  const divided = (whole: Config) => withShards(whole, totalShards);
  const config = await loadConfiguration(configFile, terminal.env, reporter, undefined, divided);
  const web = await loadWebConfiguration(webConfigFile, reporter);
  if (!config || !web) return 1;
  const nowMs = terminal.clock.now();
  for (const warning of config.budgets.flatMap((budget) => beginsLater(budget, nowMs) ?? []))
    reporter.warning(`${configFile}: ${warning}`);
  stdout.write(`${configFile}: is valid: ${contentsOf(config)}\n`);
  if (webConfigFile !== undefined) {
    const access = [web.tls ? "TLS" : "plain HTTP", counted(web.users.size, "user")];
    stdout.write(`${webConfigFile}: is valid: ${access.join(", ")}\n`);
  }
  stdout.write(requestTable(config));
  if (!isOnline) return 0;
  const begun = { ...config, budgets: config.budgets.filter((budget) => !beginsLater(budget, nowMs)) };
  const cancel = terminal.clock.after(SILENT_MS, () => {
    const takes = formatDuration(Math.ceil(roundMs(begun) / 5000) * 5000);
    if (terminal.stderr.isTTY === true)
      terminal.stderr.write(`Asking ${begun.gateway.baseUrl}, which takes about ${takes} if it answers …\n`);
  });
  const { facts, problems, warnings } = onlineReport(
    begun,
    await requestOnline(begun, terminal).finally(cancel),
  );
  for (const fact of facts) stdout.write(`${redact(fact)}\n`);
  for (const warning of warnings) reporter.warning(`${configFile}: ${warning}`);
  for (const problem of problems) reporter.problem(`${configFile}: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

/** After this time a person wants to know what is going on. */
const SILENT_MS = 2000;

/** The whole configuration with another number of shards, if one is given; problems if its limits cannot be divided. */
function withShards(whole: Config, shards = whole.shards): OwnPart {
  const config = shards === undefined ? whole : { ...whole, shards };
  const part = ownPart(config, { shard: 0 }, {});
  return part.ok ? { ok: true, config } : part;
}

/** A summary of the configuration: `20 keys, analytics, 3 budgets`. */
function contentsOf({ keys, discovery, analytics, budgets, probing, gateway: { proxy } }: Config): string {
  const parts = [
    keys.length === 0 && discovery ? "the keys of the account" : counted(keys.length, "key"),
    ...(analytics ? ["analytics"] : []),
    ...(budgets.length > 0 ? [counted(budgets.length, "budget")] : []),
    ...(probing ? [counted(probing.probes.length, "probe")] : []),
    ...(proxy ? [`through the proxy ${proxy.url}`] : []),
  ];
  return parts.join(", ");
}
