import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { dashboards } from "../dashboards/index.ts";
import { createDemoGateway } from "./demo-gateway.ts";
import { startStage } from "./history/stage.ts";
import { look, preparePreview } from "./preview/package.ts";
import { startPreviewServer } from "./preview/server.ts";
import { ROOT } from "./support/repository.ts";
import { type ToolName, toolPath } from "./support/tools.ts";

/** The key that the pictures show: one with a limit, in use. */
const KEY = "support-bot";

process.exitCode = await drawAll();

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Draws every dashboard over a simulated past into docs/pictures/. */
async function drawAll(): Promise<number> {
  const tools = {
    prometheus: "prometheus3",
    promtool: "promtool3",
    chromium: "chromium",
  } as const satisfies Record<string, ToolName>;
  const prometheus = toolPath(tools.prometheus) ?? toolPath("prometheus2");
  const promtool = toolPath(tools.promtool) ?? toolPath("promtool2");
  const chromium = toolPath(tools.chromium);
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
    sparseDays: Number(process.env["PICTURES_DAYS"] ?? "60"),
    sparseHours: 1,
    denseDays: 4,
    onProgress: say,
  });
  const server = await startPreviewServer(stage.prometheus.url);
  await stage.prometheus.queryUntil(
    'count(ALERTS{alertstate="firing"})',
    ([sample]) => (sample?.value ?? 0) > 3,
  );
  const folder = join(ROOT, "docs", "pictures");
  mkdirSync(folder, { recursive: true });
  let problems = 0;
  for (const { uid } of dashboards) {
    const name = uid.replace("aigateway-", "dashboard-");
    const { panels, errors } = await look({
      url: `${server.url}/d/${uid}?refresh=0&links=no&rate=10m&var-key=${KEY}`,
      chromium,
      picture: join(folder, `${name}.png`),
    });
    const broken = panels.filter(({ state }) => state === "error");
    problems += broken.length + errors.length;
    say(
      `${name}.png: ${panels.length} panels, ${panels.filter(({ state }) => state === "empty").length} empty`,
    );
    for (const { name: panel, text } of broken) say(`  ${panel}: ${text}`);
    for (const error of errors) say(`  console: ${error}`);
  }
  await server.stop();
  await stage.stop();
  await gateway.stop();
  return problems === 0 ? 0 : 1;
}
