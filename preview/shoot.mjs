import { readFileSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "playwright-core";

/** The functions of faults.mjs as a script, because the browser does not have our modules. */
const faultsScript = readFileSync(join(import.meta.dirname, "faults.mjs"), "utf8").replace("export ", "");

/**
 * Opens pages in one browser, waits until every panel of each is drawn, saves a picture if a file name is given, and prints
 * the results as JSON: `[{panels: [{name, state, text}], errors: [], faults: []}]`. With a height, the picture ends there.
 */
const [executablePath, looks] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
try {
  const results = [];
  for (const one of JSON.parse(looks)) results.push(await seen(one));
  process.stdout.write(JSON.stringify(results));
} finally {
  await browser.close();
}

async function seen({ url, picture, width = 1600, height }) {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    locale: "en-US",
    timezoneId: "UTC",
  });
  const errors = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(url);
  await page.waitForFunction(
    () => {
      const panels = [...document.querySelectorAll("[data-panel]")];
      return panels.length > 0 && panels.every((panel) => panel.getAttribute("data-state") !== "loading");
    },
    undefined,
    { timeout: 60_000 },
  );
  // Tables render only when they are visible.
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: whole });
  // Canvases are painted after the data arrive.
  await page.waitForTimeout(1500);
  if (picture) {
    const clip = { x: 0, y: 0, width, height: height ?? whole };
    await page.screenshot({ path: picture, clip });
  }
  const panels = await page.evaluate(() =>
    [...document.querySelectorAll("[data-panel]")].map((panel) => ({
      name: panel.getAttribute("data-panel"),
      state: panel.getAttribute("data-state"),
      text: panel.textContent,
    })),
  );
  const faults = await page.evaluate(`${faultsScript}\nfaultsOf();`);
  await page.close();
  return { panels, errors, faults };
}
