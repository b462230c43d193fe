import type { Overview } from "../overview.ts";
import { attention, countFailing } from "./attention.ts";
import { budgetsSection } from "./budgets.ts";
import { foreign, type Html, html, Later } from "./html.ts";
import { keysSection } from "./keys.ts";
import { probesSection } from "./probes.ts";
import { queriesSection } from "./queries.ts";
import { STYLE } from "./style.ts";
import { summary } from "./summary.ts";
import { ago, utcText } from "./time.ts";

/** The status page as HTML. It needs no JavaScript and shows nothing that `/metrics` would not show. */
export function renderPage(overview: Overview, telemetryPath: string): Html {
  const { version, nowMs, startedMs, gateway, keys, queries, budgets, probes } = overview;
  const failing = countFailing(overview);
  const sections = [
    () => summary(overview),
    () => attention(overview),
    () => budgetsSection(budgets, keys.length, nowMs),
    () => keysSection(keys, nowMs),
    () => queriesSection(queries, nowMs),
    () => probesSection(probes, nowMs),
  ];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${failing > 0 ? `(${failing} failing) ` : ""}AI gateway exporter</title>
        ${STYLE}
      </head>
      <body>
        <header class="top">
          <div>
            <h1>AI gateway exporter</h1>
            <p>What each key, model and app spends at ${foreign(gateway)}</p>
          </div>
          <nav aria-label="Exporter">
            <a href="/">Refresh</a>
            <a href="${telemetryPath}">Metrics</a>
            <a href="/-/healthy">Health</a>
            <a href="/-/ready">Readiness</a>
          </nav>
        </header>
        <main>${sections.map((section) => new Later(section))}</main>
        <footer>
          <p>As of ${utcText(nowMs)}. Version ${version}, started ${ago(startedMs, nowMs)}.</p>
        </footer>
      </body>
    </html>`;
}
