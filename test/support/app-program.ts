import { z } from "zod";

import { createLog } from "../../exporter/log.ts";
import { readConfig } from "./exporter-files.ts";
import { createFastClock } from "./fast-time.ts";
import { createTestApp } from "./test-app.ts";

const Time = z.object({ speed: z.number(), realMs: z.number(), shownMs: z.number() });

const [configFile = "", time = ""] = process.argv.slice(2);
const app = createTestApp(await readConfig({ configFile, environment: process.env }), {
  clock: createFastClock(Time.parse(JSON.parse(time))),
  log: createLog("info", "json", process.stderr),
});
await app.start();
process.stdout.write(`${app.url()}\n`);
process.once("SIGTERM", () => void app.stop());
