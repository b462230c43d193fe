import { z } from "zod";

import { createApp } from "../../exporter/app.ts";
import { systemFiles } from "../../exporter/config/files.ts";
import { loadConfig } from "../../exporter/config/load.ts";
import { createLog } from "../../exporter/log.ts";
import { createFastClock } from "./fast-time.ts";

/** What `startFastExporter` gives to this program. */
const Time = z.object({ speed: z.number(), realMs: z.number(), shownMs: z.number() });

const [configFile = "", time = ""] = process.argv.slice(2);
const loaded = await loadConfig({ path: configFile, ...systemFiles, env: process.env });
if (!loaded.ok) throw new Error(`Cannot load "${configFile}": ${JSON.stringify(loaded.problems)}`);
const app = createApp(loaded.config, {
  clock: createFastClock(Time.parse(JSON.parse(time))),
  random: Math.random,
  log: createLog("info", "json", process.stderr),
  build: { version: "0.0.0", revision: "test", nodeVersion: process.version },
  listen: { host: "127.0.0.1", port: 0 },
  telemetryPath: "/metrics",
});
await app.start();
process.stdout.write(`Listening on ${app.url()}\n`);
