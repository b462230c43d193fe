import axe from "axe-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { statusSchema } from "../../exporter/status/json/schema.ts";
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
    const { queries = [] } = statusSchema.parse(JSON.parse(await app.page("/api/v1/status")));
    const pair = queries
      .flatMap(({ pairs }) => pairs)
      .find(({ model, app: named }) => model !== "_other" && named !== "_none");
    paths = [
      "/",
      `/keys/${[...app.gateway.tokens.keys()][0]}`,
      "/account",
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
    expect(await app.page("/models")).toMatch(/The highest (known )?hour:/);
  });

  const hostile = `/?search=${encodeURIComponent(EVIL)}&team=${encodeURIComponent(EVIL.slice(0, 80))}`;
  test.each([390, 768, 1280])(
    "%i pixels wide, no page scrolls sideways, and each is drawn without a complaint of the browser",
    async (width) => {
      for (const path of paths) {
        await browser.open(app.url + path, width);
        const shown = await browser.evaluate("[document.documentElement.scrollWidth, document.title]");
        const [scrollWidth, title] = z.tuple([z.number(), z.string()]).parse(shown);
        expect([path, scrollWidth <= width, title === "hacked"]).toEqual([path, true, false]);
      }
      expect(browser.complaints.filter((text) => !text.includes("404"))).toEqual([]);
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

  test.each(DRAWINGS)(
    "axe has no finding on any page, drawn %s and %i pixels wide",
    async (medium, width) => {
      await browser.draw(medium);
      for (const path of paths) {
        await browser.open(app.url + path, width);
        await browser.evaluate(`${axe.source}; null`);
        expect([path, await browser.evaluate(FINDINGS)]).toEqual([path, []]);
      }
      await browser.draw("light");
    },
    PATIENCE_MS,
  );

  test(
    "on paper, pages are black on white, without navigation and forms, and no table is cut",
    async () => {
      await browser.draw("print");
      for (const path of paths) {
        await browser.open(app.url + path, PAPER_WIDTH);
        expect([path, await browser.evaluate(PAPER)]).toEqual([
          path,
          { shown: [], cut: [], colors: ["rgb(0, 0, 0)", "rgb(255, 255, 255)"] },
        ]);
      }
      await browser.draw("light");
    },
    PATIENCE_MS,
  );

  test(
    "every picture, control and region has a name, and no identifier occurs twice",
    async () => {
      for (const path of paths) {
        await browser.open(app.url + path, 1280);
        expect([path, await browser.evaluate(NAMELESS)]).toEqual([path, []]);
      }
      await browser.open(app.url + (paths[1] ?? ""), 1280);
      expect(await browser.evaluate("document.querySelectorAll('svg.picture').length")).toBe(2);
    },
    PATIENCE_MS,
  );
});

/** Light and dark as on a screen, wide and narrow, and in black on paper. */
const DRAWINGS = [
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
  ["dark", 390],
  ["print", 1000],
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

/** Every finding of any impact. */
const FINDINGS = `axe.run(document).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`;

const USABLE = `'a[href], input, select, button, [tabindex="0"]'`;
const NAME = "(element) => element.tagName + ' ' + (element.name || element.textContent.trim()).slice(0, 40)";

/** What a person who does not see the page could not distinguish. */
const NAMELESS = `(() => {
  const labelled = (element) => (element.getAttribute("aria-labelledby") ?? "").split(" ").every((id) => document.getElementById(id)?.textContent.trim());
  const named = (element) => element.ariaLabel?.trim() || (element.hasAttribute("aria-labelledby") && labelled(element));
  const pictures = [...document.querySelectorAll("[role=img], [role=region], section[aria-labelledby], article")].filter((element) => !named(element));
  const controls = [...document.querySelectorAll("input, select")].filter((element) => !element.labels?.[0]?.textContent.trim());
  const links = [...document.querySelectorAll("a, button")].filter((element) => !element.textContent.trim());
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [...pictures, ...controls, ...links].map(({ outerHTML }) => outerHTML.slice(0, 200)).concat(twice);
})()`;
