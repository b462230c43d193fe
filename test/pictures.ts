import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { dashboards } from "../dashboards/index.ts";
import { createDemoGateway } from "./demo-gateway.ts";
import { startStage, type Stage } from "./support/past/stage.ts";
import { drawnFrom, MANIFEST, readManifest } from "./pictures/manifest.ts";
import { type Look, look, preparePreview } from "./preview/package.ts";
import { startPreviewServer } from "./preview/server.ts";
import { ROOT } from "./support/repository.ts";
import { toolPath } from "./support/tools.ts";

/** The key in the pictures: one that has a limit and is in use. */
const KEY = "support-bot";

/** Dashboards of the present: the exporter's process has no simulated past. */
const LIVE = new Set(["aigateway-exporter"]);
/** Time ranges of single dashboards: lines need a dense past, which costs the most time. */
const RANGES: Readonly<Record<string, string>> = {
  "aigateway-exporter": "&from=now-75s",
  "aigateway-key": "&from=now-3d",
};
const PAST = { sparseDays: 59, sparseHours: 6, denseDays: 3.2 };
const NO_PAST = { sparseDays: 1, sparseHours: 6, denseDays: 0.5 };
/** How much of the present the graphs of the exporter need, and how much the others. */
const LIVE_MS = 80_000;
const SCRAPED_MS = 20_000;

const FOLDER = join(ROOT, "docs", "pictures");

/** `npm run pictures -- exporter` draws one of them. */
const [chosen] = process.argv.slice(2);
process.exitCode = await drawAll(dashboards.filter(({ uid }) => !chosen || uid === `aigateway-${chosen}`));

/** Draws dashboards over a simulated past and a minute of the present into docs/pictures/, in dark and light colours. */
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
    ...(drawn.every(({ uid }) => LIVE.has(uid)) ? NO_PAST : PAST),
    schedule: { keys: "5s", analytics: "30s", probes: "15s" },
    onProgress: say,
  });
  const problems = await drawOn(stage, chromium, drawn);
  await stage.stop();
  await gateway.stop();
  if (problems > 0) return 1;
  writeFileSync(MANIFEST, `${JSON.stringify({ ...readManifest(), ...drawnFrom(drawn) }, undefined, 2)}\n`);
  return 0;
}

/** Draws the dashboards, those of the present last, and returns the number of problems. */
async function drawOn(stage: Stage, chromium: string, drawn: typeof dashboards): Promise<number> {
  mkdirSync(FOLDER, { recursive: true });
  const server = await startPreviewServer(stage.prometheus.url);
  const waited = (ms: number) => delay(Math.max(0, ms - (performance.now() - stage.watchedSince)));
  const looks = (isLive: boolean) =>
    drawn.filter(({ uid }) => LIVE.has(uid) === isLive).flatMap(({ uid }) => looksAt(server.url, uid));
  say("Drawing, and recording the present");
  await waited(SCRAPED_MS);
  const problems = await drawThese(chromium, looks(false));
  await waited(LIVE_MS);
  const more = await drawThese(chromium, looks(true));
  await server.stop();
  return problems + more;
}

async function drawThese(chromium: string, looks: readonly Look[]): Promise<number> {
  const seen = looks.length === 0 ? [] : await look(chromium, looks);
  const problems = seen.flatMap(({ panels, errors }, index) => {
    const empty = panels.filter(({ state }) => state === "empty").map(({ name }) => name);
    say(
      `${looks[index]?.picture}: ${panels.length} panels${empty.length > 0 ? `, empty: ${empty.join(", ")}` : ""}`,
    );
    return [
      ...errors,
      ...panels.filter(({ state }) => state === "error").map(({ name, text }) => `${name}: ${text}`),
    ];
  });
  for (const problem of problems) say(`  ${problem}`);
  return problems.length;
}

/** A picture in each colour scheme, and the top of the overview for the README. */
function looksAt(server: string, uid: string): readonly Look[] {
  const name = join(FOLDER, uid.replace("aigateway-", "dashboard-"));
  const url = `${server}/d/${uid}?refresh=0&links=no&rate=30s&var-key=${KEY}${RANGES[uid] ?? ""}`;
  const light = `${url}&theme=light`;
  const whole = [
    { url, picture: `${name}.png` },
    { url: light, picture: `${name}-light.png` },
  ];
  if (uid !== "aigateway-overview") return whole;
  const height = 628;
  return [
    ...whole,
    { url, picture: `${name}-top.png`, height },
    { url: light, picture: `${name}-top-light.png`, height },
  ];
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
