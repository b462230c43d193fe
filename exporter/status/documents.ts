import type { Overview } from "./overview.ts";
import {
  ACCOUNT_PATH,
  addressOf,
  type Axis,
  axisAddress,
  keyAddress,
  STATUS_PATH,
  type View,
  WHOLE,
} from "./view.ts";

/** One answer about the status: a view of the page, or of the same data as JSON. */
export interface StatusDocument {
  /** Documents with the same address are the same. */
  readonly address: string;
  readonly contentType: string;
  readonly write: (context: WritingContext) => Promise<Written>;
}

export interface Written {
  readonly text: string;
  /** Whether what was wanted does not exist; the text reports that. */
  readonly isMissing?: boolean;
}

export interface WritingContext {
  readonly overview: Overview;
  readonly telemetryPath: string;
  /** Lets other work run if the present slice has taken long enough. */
  readonly pace: () => Promise<void>;
}

// Most instances never serve a document, and the number formats of the page are expensive to load.

const HTML = "text/html; charset=utf-8";

/** A view of the page; the whole page unless given. */
export function pageDocument(view: View = WHOLE): StatusDocument {
  return {
    address: addressOf(view),
    contentType: HTML,
    write: async ({ overview, telemetryPath, pace }) => {
      const { renderPage } = await import("./page/page.ts");
      return { text: await renderPage(overview, telemetryPath, view).written(pace) };
    },
  };
}

/** The page of one key. */
export function keyDocument(name: string): StatusDocument {
  return {
    address: keyAddress(name),
    contentType: HTML,
    write: async ({ overview, telemetryPath, pace }) => {
      const { renderKeyPage, renderMissingKey } = await import("./page/key-page.ts");
      const page = renderKeyPage(overview, telemetryPath, name);
      const shown = page ?? renderMissingKey(overview, telemetryPath, name);
      return { text: await shown.written(pace), isMissing: page === undefined };
    },
  };
}

/** The page of the account. */
export function accountDocument(): StatusDocument {
  return {
    address: ACCOUNT_PATH,
    contentType: HTML,
    write: async ({ overview, telemetryPath, pace }) => {
      const { renderAccountPage } = await import("./page/account-page.ts");
      return { text: await renderAccountPage(overview, telemetryPath).written(pace) };
    },
  };
}

/** The page of all models or apps, or of the one with the name. */
export function axisDocument(axis: Axis, name?: string): StatusDocument {
  return {
    address: axisAddress(axis, name),
    contentType: HTML,
    write: async ({ overview, telemetryPath, pace }) => {
      const { renderAxisPage } = await import("./page/axis-page.ts");
      const { page, isMissing } = renderAxisPage(overview, telemetryPath, axis, name);
      return { text: await page.written(pace), isMissing };
    },
  };
}

/** The data of a view of the page, as JSON. */
export function jsonDocument(view: View): StatusDocument {
  return {
    address: addressOf(view, STATUS_PATH),
    contentType: "application/json",
    write: async ({ overview, pace }) => {
      const { writeStatusJson } = await import("./json/write.ts");
      return { text: await writeStatusJson(overview, view, pace) };
    },
  };
}
