import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { dashboards } from "../dashboards/index.ts";
import { createDemoGateway } from "./demo-gateway.ts";
import { startStage } from "./history/stage.ts";
import { look, preparePreview } from "./preview/package.ts";
import { startPreviewServer } from "./preview/server.ts";
import { ROOT } from "./support/repository.ts";
import { toolPath } from "./support/tools.ts";

/** The key in the pictures: one that has a limit and is in use. */
const KEY = "support-bot";

/** Time ranges of single dashboards: the exporter's own figures have no simulated past. */
const RANGES: Readonly<Record<string, string>> = { "aigateway-exporter": "&from=now-8m" };
const PAST = { sparseDays: 55, sparseHours: 1, denseDays: 7.2 };
const NO_PAST = { sparseDays: 1, sparseHours: 6, denseDays: 0.5 };
const LIVE_MS = 9 * 60_000;

/** `npm run pictures -- exporter` draws one of them. */
const [chosen] = process.argv.slice(2);
process.exitCode = await drawAll(dashboards.filter(({ uid }) => !chosen || uid === `aigateway-${chosen}`));

/** Draws dashboards over a simulated past and nine minutes of the present into docs/pictures/. */
async function drawAll(drawn: typeof dashboards): Promise<number> {
  if (drawn.length === 0) {
    say(`Cannot draw the dashboard "${chosen}": it does not exist`);
    return 1;
  }
  const prometheus = toolPath("prometheus3") ?? toolPath("prometheus2");
  const promtool = toolPath("promtool3") ?? toolPath("promtool2");
  const chromium = toolPath("chromium");
  if (prometheus === undefined || promtool === undefined || chromium === undefined) {
    say(
      "Cannot draw the dashboards without prometheus, promtool and chromium (apt-get install prometheus chromium)",
    );
    return 1;
  }
  await preparePreview(say);
  const gateway = createDemoGateway();
  gateway.switches.extraKeyFields = true;
  await gateway.start();
  const stage = await startStage({
    gateway,
    prometheus,
    promtool,
    ...(drawn.every(({ uid }) => uid in RANGES) ? NO_PAST : PAST),
    schedule: { keys: "15s", analytics: "30s", probes: "30s" },
    onProgress: say,
  });
  const server = await startPreviewServer(stage.prometheus.url);
  say("Recording the present for some minutes");
  await delay(LIVE_MS);
  const problems = await Promise.all(
    drawn.map(({ uid }) =>
      draw(
        `${server.url}/d/${uid}?refresh=0&links=no&rate=1m&var-key=${KEY}${RANGES[uid] ?? ""}`,
        uid,
        chromium,
      ),
    ),
  );
  await server.stop();
  await stage.stop();
  await gateway.stop();
  return problems.some((count) => count > 0) ? 1 : 0;
}

/** Draws one dashboard and returns the number of problems. */
async function draw(url: string, uid: string, chromium: string): Promise<number> {
  const folder = join(ROOT, "docs", "pictures");
  mkdirSync(folder, { recursive: true });
  const name = `${uid.replace("aigateway-", "dashboard-")}.png`;
  const { panels, errors } = await look({ url, chromium, picture: join(folder, name) });
  const broken = panels.filter(({ state }) => state === "error");
  const empty = panels.filter(({ state }) => state === "empty").map((panel) => panel.name);
  say(`${name}: ${panels.length} panels${empty.length > 0 ? `, empty: ${empty.join(", ")}` : ""}`);
  for (const panel of broken) say(`  ${panel.name}: ${panel.text}`);
  for (const error of errors) say(`  console: ${error}`);
  return broken.length + errors.length;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
