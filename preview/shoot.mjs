import { chromium } from "playwright-core";

/**
 * Opens a page, waits until every panel is drawn, saves a picture if a file name is given, and prints the result
 * as JSON: `{panels: [{name, state}], errors: []}`.
 */
const [executablePath, url, picture = ""] = process.argv.slice(2);
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
  const page = await browser.newPage({
    viewport: { width: 1600, height: 900 },
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
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: 1600, height });
  // Canvases are painted after the data arrive.
  await page.waitForTimeout(1500);
  if (picture !== "") await page.screenshot({ path: picture, fullPage: true });
  const panels = await page.evaluate(() =>
    [...document.querySelectorAll("[data-panel]")].map((panel) => ({
      name: panel.getAttribute("data-panel"),
      state: panel.getAttribute("data-state"),
      text: panel.textContent,
    })),
  );
  process.stdout.write(JSON.stringify({ panels, errors }));
} finally {
  await browser.close();
}
