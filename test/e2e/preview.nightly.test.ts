import { afterAll, beforeAll, expect, test } from "vitest";
import { dashboards } from "../../dashboards/index.ts";
import { isPreviewInstalled, look, preparePreview } from "../preview/package.ts";
import { type PreviewServer, startPreviewServer } from "../preview/server.ts";
import { describeWithTools } from "../support/tools.ts";
import { createServer } from "node:http";
import { listenOnLoopback } from "../support/loopback.ts";

/** A server with the API of Prometheus that gives every query the same result: fifteen series with the values 0 to 14. */
async function startFakePrometheus(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const data = pathname.endsWith("/values") ? ["one"] : { result: resultOf(pathname, searchParams) };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ status: "success", data }));
  });
  const { address, stop } = await listenOnLoopback(server);
  return { url: `http://${address}`, stop };
}

const SERIES = 15;

function resultOf(pathname: string, parameters: URLSearchParams): readonly object[] {
  const number = (name: string): number => Number(parameters.get(name) ?? 0);
  return Array.from({ length: SERIES }, (_, index) => {
    const metric = labelsOf(index);
    if (pathname.endsWith("/query")) return { metric, value: [number("time"), String(index)] };
    const steps = Math.floor((number("end") - number("start")) / number("step"));
    const values = Array.from({ length: steps + 1 }, (__, step) => [
      number("start") + step * number("step"),
      String(index),
    ]);
    return { metric, values };
  });
}

/** Every label that a panel shows, with a name of the longest length for the first series. */
function labelsOf(index: number): Readonly<Record<string, string>> {
  const name = index === 0 ? "a-name-".repeat(9) : `name-${index}`;
  const labels = ["key", "team", "model", "app", "api_key", "budget", "alertname", "severity", "workspace"];
  return Object.fromEntries(labels.map((label) => [label, name]));
}

const isRequired = process.env["E2E_REQUIRED"] === "1";

/** Every verdict on a key is in the table of the Overview, because the values of its rows are 0 to 14. */
describeWithTools(["chromium"], "drawn dashboards", ({ chromium }) => {
  let prometheus: Awaited<ReturnType<typeof startFakePrometheus>>;
  let server: PreviewServer;

  beforeAll(async () => {
    prometheus = await startFakePrometheus();
    server = await startPreviewServer(prometheus.url);
    if (isRequired || isPreviewInstalled()) await preparePreview(() => {});
  }, 200_000);

  afterAll(async () => {
    await server?.stop();
    await prometheus?.stop();
  });

  test.skipIf(!isRequired && !isPreviewInstalled())(
    "the overview can be read, in dark and light colours, on a wide and a narrow screen",
    async () => {
      const looks = [
        { theme: "dark", width: 1600 },
        { theme: "dark", width: 390 },
        { theme: "light", width: 1600 },
      ];
      const seen = await look(
        chromium,
        looks.map(({ theme, width }) => ({
          url: `${server.url}/d/${dashboards[0]?.uid}?refresh=0&theme=${theme}`,
          width,
        })),
      );
      for (const [index, { panels, errors, faults }] of seen.entries()) {
        expect(panels.filter(({ state }) => state !== "drawn")).toEqual([]);
        expect(panels.map(({ text }) => text).join()).toContain("out within a day");
        // Grafana's own orange and green are pale on white. They colour figures, never the only text of a cell.
        const isGrafanas = (fault: string) =>
          looks[index]?.theme === "light" && /^"(?:[\d.]+%|part of it)"/.test(fault);
        expect({ errors, faults: faults.filter((fault) => !isGrafanas(fault)) }).toEqual({
          errors: [],
          faults: [],
        });
      }
    },
    120_000,
  );
});
