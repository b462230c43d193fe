import { z } from "zod";

import { createLog } from "../../exporter/log.ts";
import { createManualClock } from "./clock.ts";
import { readConfig } from "./exporter-files.ts";
import { createFastClock } from "./fast-time.ts";
import { createTestApp } from "./test-app.ts";

/** The clock of the process: manual when it has a `start`, else fast. */
const Time = z.union([
  z.object({ start: z.number() }),
  z.object({ speed: z.number(), realMs: z.number(), shownMs: z.number() }),
]);

/** A command of the parent; the answer is its id, once it is done. */
const Command = z.object({ id: z.number(), action: z.enum(["runTo", "jump", "stop"]), to: z.number() });

const [configFile = "", timeText = ""] = process.argv.slice(2);
const time = Time.parse(JSON.parse(timeText));
const manual = createManualClock("start" in time ? time.start : 0);
const app = createTestApp(await readConfig({ configFile, environment: process.env }), {
  clock: "start" in time ? manual : createFastClock(time),
  log: createLog("info", "json", process.stderr),
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
  await manual[action](to);
  await manual.answered();
  process.send?.({ id });
}
