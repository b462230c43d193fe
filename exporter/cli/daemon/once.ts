import type { Config } from "../../config/config.ts";
import { ownPart } from "../../config/shards/part.ts";
import type { Options } from "../command-line/program.ts";
import { createCommandLog, createExporter } from "./exporter.ts";
import { loadConfiguration, logReporter } from "../load-configuration.ts";
import type { Terminal } from "../terminal.ts";

/** Polls every target once and prints the exposition. Fails if no poll succeeded. */
export async function once(options: Options, terminal: Terminal): Promise<number> {
  const log = createCommandLog(options, terminal);
  const { env } = terminal;
  const own = (whole: Config) => ownPart(whole, options, env);
  const config = await loadConfiguration(options.configFile, env, logReporter(log), undefined, own);
  if (!config) return 1;
  const app = createExporter(config, options, terminal, log);
  const { exposition, isUseful } = await app.once();
  terminal.stdout.write(exposition);
  await app.stop();
  return isUseful ? 0 : 1;
}
