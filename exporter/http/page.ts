import { html } from "./html.ts";
import type { Overview } from "./overview.ts";

/** The status page: readable without JavaScript, and with nothing that `/metrics` would not show. */
export function renderPage(overview: Overview, telemetryPath: string): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>AI gateway exporter</title>
      </head>
      <body>
        <h1>AI gateway exporter ${overview.version}</h1>
        <a href="${telemetryPath}">Metrics</a>
        ${overview.keys.map((key) => html`<p>${key.name} ${key.state} ${key.day}</p>`)}
      </body>
    </html>`.toString();
}
