import { z } from "zod";

import { createApp } from "../../exporter/app.ts";
import { systemFiles } from "../../exporter/config/files.ts";
import { loadConfig } from "../../exporter/config/load.ts";
import { createLog } from "../../exporter/log.ts";
import { createSteeredClock } from "./steered-clock.ts";

/** What `startSteeredExporter` sends to this program; each command is answered with its id when it is done. */
const Command = z.object({ id: z.number(), action: z.enum(["run", "jump", "stop"]), to: z.number() });

const [configFile = "", start = ""] = process.argv.slice(2);
const steered = createSteeredClock(Number(start));
const loaded = await loadConfig({ path: configFile, ...systemFiles, env: process.env });
if (!loaded.ok) throw new Error(`Cannot load "${configFile}": ${JSON.stringify(loaded.problems)}`);
const app = createApp(loaded.config, {
  clock: steered.clock,
  random: () => 0.5,
  log: createLog("info", "json", process.stderr),
  build: { version: "0.0.0", revision: "test", nodeVersion: process.version },
  listen: { host: "127.0.0.1", port: 0 },
  telemetryPath: "/metrics",
});
await app.start();
process.on("message", (message) => void obey(message));
process.send?.({ url: app.url(), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });

async function obey(message: unknown): Promise<void> {
  const { id, action, to } = Command.parse(message);
  if (action === "stop") {
    await app.stop();
    process.disconnect();
    return;
  }
  await steered[action](to);
  process.send?.({ id });
}
