import type { Options } from "./command-line.ts";
import { createCommandLog, createExporter } from "./exporter.ts";
import { loadConfiguration, logReporter } from "./load-configuration.ts";
import type { Terminal } from "./terminal.ts";

/** Polls every target once and prints the exposition. Fails if no poll succeeded. */
export async function once(options: Options, terminal: Terminal): Promise<number> {
  const log = createCommandLog(options, terminal);
  const config = await loadConfiguration(options.configFile, terminal.env, logReporter(log));
  if (!config) return 1;
  const app = createExporter(config, options, terminal, log);
  const { exposition, isUseful } = await app.once();
  terminal.stdout.write(exposition);
  await app.stop();
  return isUseful ? 0 : 1;
}
