import axe from "axe-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type BrowserPage, openBrowser } from "../support/browser.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { describeWithTools } from "../support/tools.ts";

/** A browser starts slowly on a busy machine. */
const PATIENCE_MS = 300_000;
const EVIL = `"><script>document.title="hacked"</script>${"x".repeat(50)}`;

describeWithTools(["chromium"], "the status page in a browser", ({ chromium }) => {
  let app: TestApp;
  let browser: BrowserPage;
  /** Of every kind of page; that of a model that does not exist comes last. */
  let paths: readonly string[];

  beforeAll(async () => {
    app = await startTestApp({
      analytics: true,
      gateway: () => ({ keys: 5 }),
      // A key that is used up, on a model with a hostile name, and a budget that is exceeded.
      prepare: (gateway) => {
        const [key = ""] = gateway.tokens.keys();
        gateway.spend({ key, model: EVIL, micros: 10_000_000_000, at: gateway.clock.now() - 1000 });
      },
      content: () => ({
        discovery: {},
        budgets: [
          { name: "all", limit: 5, window: "month", keys: "all" },
          { name: "account", limit: 5000, window: "month", account: true },
        ],
      }),
    });
    await app.clock.runTo(app.clock.now() + 300_000);
    const [key = ""] = app.gateway.tokens.keys();
    app.gateway.spend({ key, model: EVIL, micros: 2_000_000, at: app.clock.now() - 1000 });
    await app.clock.runTo(app.clock.now() + 600_000);
    const { queries = [] } = await app.status();
    const pair = queries
      .flatMap(({ pairs }) => pairs)
      .find(({ model, app: named }) => model !== "_other" && named !== "_none");
    paths = [
      "/",
      `/keys/${[...app.gateway.tokens.keys()][0]}`,
      "/account",
      "/exporter",
      "/models",
      `/models/${encodeURIComponent(pair?.model ?? "")}`,
      "/apps",
      `/apps/${encodeURIComponent(pair?.app ?? "")}`,
      hostile,
      `/keys/${encodeURIComponent(EVIL)}`,
      `/models/${encodeURIComponent(EVIL)}`,
      "/models/none",
    ];
    browser = await openBrowser(chromium);
  }, PATIENCE_MS);

  afterAll(async () => {
    await browser.close();
    await app.stop();
  }, PATIENCE_MS);

  // Otherwise the browser would draw none.
  test("the pages of models show the spend by hour", async () => {
    expect(await app.page("/models")).toContain("Spend of today by hour");
  });

  const hostile = `/?search=${encodeURIComponent(EVIL)}&team=${encodeURIComponent(EVIL.slice(0, 80))}`;
  test.each(DRAWINGS)(
    "drawn %s and %i pixels wide, no page scrolls sideways, and neither the browser nor axe has a finding",
    async (medium, width) => {
      await browser.draw(medium);
      for (const path of paths) {
        await browser.open(app.url + path, width);
        const shown = await browser.evaluate("[document.documentElement.scrollWidth, document.title]");
        const [scrollWidth, title] = z.tuple([z.number(), z.string()]).parse(shown);
        expect([path, scrollWidth <= width, title === "hacked"]).toEqual([path, true, false]);
        expect([path, width === 768 ? [] : await findings()]).toEqual([path, []]);
      }
      expect(browser.complaints.filter((text) => !text.includes("404"))).toEqual([]);
      await browser.draw("light");
    },
    PATIENCE_MS,
  );

  test(
    "everything that can be used is reached with the keyboard, in the order of the page",
    async () => {
      for (const path of paths.slice(0, -1)) {
        await browser.open(app.url + path, 1280);
        const usable = z
          .array(z.string())
          .parse(
            await browser.evaluate(
              `[...document.querySelectorAll(USABLE)].map(NAME)`
                .replace("USABLE", USABLE)
                .replace("NAME", NAME),
            ),
          );
        const reached: unknown[] = [];
        while (reached.length < usable.length) {
          await browser.tab();
          reached.push(await browser.evaluate(`(${NAME})(document.activeElement)`));
        }
        expect(usable.length).toBeGreaterThan(4);
        expect(reached).toEqual(usable);
      }
    },
    PATIENCE_MS,
  );

  test(
    "on paper, pages are legible and black on white, without navigation and forms, and no table is cut",
    async () => {
      await browser.draw("print");
      for (const path of paths) {
        await browser.open(app.url + path, PAPER_WIDTH);
        expect([path, await browser.evaluate(PAPER), await findings("color-contrast")]).toEqual([
          path,
          { shown: [], cut: [], colors: ["rgb(0, 0, 0)", "rgb(255, 255, 255)"] },
          [],
        ]);
      }
      await browser.draw("light");
    },
    PATIENCE_MS,
  );

  /** Every finding of any impact, of all rules by default. */
  async function findings(...rules: readonly string[]): Promise<unknown> {
    await browser.evaluate(`${axe.source}; null`);
    const options = JSON.stringify(rules.length === 0 ? {} : { runOnly: rules });
    return browser.evaluate(
      `axe.run(document, ${options}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`,
    );
  }
});

/** The colours depend on the scheme, the layout on the width. Axe judges the first and the last. */
const DRAWINGS = [
  ["dark", 390],
  ["light", 768],
  ["light", 1280],
] as const;

/** A4 in landscape format without its margins, in CSS pixels. */
const PAPER_WIDTH = 1030;

/** Navigation and forms that are drawn, what is wider than the paper or hidden by scrolling, and the colours of text and page. */
const PAPER = `(() => {
  const shown = [...document.querySelectorAll("nav, form")].filter((element) => element.getClientRects().length > 0);
  const cut = [...document.querySelectorAll(".scroll, table, td, th, svg, dl")].filter((element) =>
    element.getBoundingClientRect().right > innerWidth || (element.className === "scroll" && getComputedStyle(element).overflowX !== "visible"));
  const { color, backgroundColor } = getComputedStyle(document.body);
  const text = (element) => element.outerHTML.slice(0, 120);
  return { shown: shown.map(text), cut: cut.map(text), colors: [color, backgroundColor] };
})()`;

const USABLE = `'a[href], input, select, button, [tabindex="0"]'`;
const NAME = "(element) => element.tagName + ' ' + (element.name || element.textContent.trim()).slice(0, 40)";
