import { afterAll, beforeAll, expect, test } from "vitest";

import { dashboards } from "../../dashboards/index.ts";
import { startFakePrometheus } from "../preview/fake-prometheus.ts";
import { isPreviewInstalled, look, preparePreview, type Seen } from "../preview/package.ts";
import { startPreviewServer, type PreviewServer } from "../preview/server.ts";
import { describeWithTools } from "../support/tools.ts";

const NOTHING: Seen = { panels: [], errors: ["nothing was drawn"], faults: [] };

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

  test.skipIf(!isRequired && !isPreviewInstalled()).each([
    { theme: "dark", width: 1600 },
    { theme: "dark", width: 390 },
    { theme: "light", width: 1600 },
  ])(
    "the overview can be read, in $theme colours, $width pixels wide",
    async ({ theme, width }) => {
      const url = `${server.url}/d/${dashboards[0]?.uid}?refresh=0&theme=${theme}`;
      const [{ panels, errors, faults } = NOTHING] = await look(chromium, [{ url, width }]);
      expect(panels.filter(({ state }) => state !== "drawn")).toEqual([]);
      expect(panels.map(({ text }) => text).join()).toContain("out within a day");
      // Grafana's own orange and green are pale on white. They colour figures, never the only text of a cell.
      const ours =
        theme === "light" ? faults.filter((fault) => !/^"(?:[\d.]+%|part of it)"/.test(fault)) : faults;
      expect({ errors, faults: ours }).toEqual({ errors: [], faults: [] });
    },
    120_000,
  );
});
