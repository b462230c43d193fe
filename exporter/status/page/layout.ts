import type { Overview } from "../overview.ts";
import { foreign, type Html, html } from "./html.ts";
import { ACCOUNT_PATH, AXIS_PATHS } from "../view.ts";
import { ICON, STYLE } from "./style.ts";
import { ago, utcText } from "./time.ts";

/** What the pages differ in. */
export interface Layout {
  /** Of the page, or of the one that it belongs to in the navigation. */
  readonly path: string;
  /** Plain text. */
  readonly title: string;
  readonly heading: Html;
  /** Below the heading. */
  readonly about?: Html | undefined;
  /** Further links, before those to the exporter itself. */
  readonly links: Html;
  readonly sections: readonly (Html | undefined)[];
  /** Whether the page is in place of one that does not exist. */
  readonly isMissing?: boolean;
}

/** What a page wrote. */
export interface Written {
  readonly text: string;
  /** Whether what was wanted does not exist; the text reports that. */
  readonly isMissing: boolean;
}

/** A page as HTML. It needs no JavaScript and loads nothing. */
export function layout(
  { path, title, heading, about, links, sections, isMissing = false }: Layout,
  { version, nowMs, startedMs, gateway, account }: Overview,
  telemetryPath: string,
): Written {
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${ICON} ${STYLE}
      </head>
      <body>
        <header class="top">
          <div>
            <h1>${heading}</h1>
            <p>What each key, model and app spends at ${foreign(gateway)}</p>
            ${about} ${account ? pagesNav(path) : undefined}
          </div>
          <nav aria-label="Exporter">
            ${links}
            <a href="${telemetryPath}">Metrics</a>
            <a href="/-/healthy">Health</a>
            <a href="/-/ready">Readiness</a>
          </nav>
        </header>
        <main>${sections}</main>
        <footer>
          <p>As of ${utcText(nowMs)}. Version ${version}, started ${ago(startedMs, nowMs)}.</p>
        </footer>
      </body>
    </html>`;
  return { text, isMissing };
}

/** Without a management key there is only one page to go to. */
function pagesNav(current: string): Html {
  const links = PAGES.map(([path, title]) =>
    path === current
      ? html`<a href="${path}" aria-current="page">${title}</a>`
      : html`<a href="${path}">${title}</a>`,
  );
  return html`<nav class="tabs" aria-label="Pages">${links}</nav>`;
}

const PAGES = [
  ["/", "Keys"],
  [ACCOUNT_PATH, "Account"],
  [AXIS_PATHS.model, "Models"],
  [AXIS_PATHS.app, "Apps"],
] as const;
