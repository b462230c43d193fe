import type { Overview } from "../overview.ts";
import { foreign, type Html, html } from "./html.ts";
import { ACCOUNT_PATH, AXIS_PATHS, EXPORTER_PATH } from "../view.ts";
import { ICON, STYLE } from "./style.ts";
import { ago, utcText } from "./time.ts";

/** What the pages differ in. */
export interface Layout {
  /** Of the page, or of the one that it belongs to in the navigation. */
  readonly path: string;
  /** Plain text. */
  readonly title: string;
  readonly heading: Html | string;
  /** Below the heading. */
  readonly about?: Html | undefined;
  /** The address of the page, if it is not the path. */
  readonly address?: string;
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
  { path, title, heading, about, address = path, sections, isMissing = false }: Layout,
  { version, nowMs, startedMs, gateway }: Overview,
  telemetryPath: string,
): Written {
  const tabs = PAGES.map(([to, name]) =>
    to === path ? html`<a href="${to}" aria-current="page">${name}</a>` : html`<a href="${to}">${name}</a>`,
  );
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
        <header>
          <h1>${heading}</h1>
          <p>What each key, model and app spends at ${foreign(gateway)}</p>
          ${about}
          <nav class="tabs" aria-label="Pages">
            ${tabs}
            <a class="side" href="${address}">Refresh</a>
            <a href="${telemetryPath}">Metrics</a>
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

const PAGES = [
  ["/", "Keys"],
  [ACCOUNT_PATH, "Account"],
  [AXIS_PATHS.model, "Models"],
  [AXIS_PATHS.app, "Apps"],
  [EXPORTER_PATH, "Exporter"],
] as const;
