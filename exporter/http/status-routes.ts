import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Overview } from "../status/overview.ts";
import type { Written } from "../status/page/layout.ts";
import {
  ACCOUNT_PATH,
  type Axis,
  AXIS_PATHS,
  EXPORTER_PATH,
  KEYS_PATH,
  readView,
  STATUS_PATH,
  type View,
} from "../status/view.ts";
import { acceptsGzip } from "./metrics-route.ts";
import { type Answer, get, pathOf, type Route, textAnswer } from "./route.ts";

/**
 * The status page and its data as JSON. The modules that draw are loaded by the first request: most instances never
 * serve a page, and its number formats are expensive to load.
 */
export function createStatusRoutes(overview: () => Overview, telemetryPath: string): readonly Route[] {
  const axisRoutes = (axis: Axis): readonly Route[] => {
    const draw = async (name?: string) => {
      const { renderAxisPage } = await import("../status/page/axis-page.ts");
      return renderAxisPage(overview(), telemetryPath, { axis, name });
    };
    return [
      get(AXIS_PATHS[axis], async (request) => page(request, await draw())),
      namedRoute(`${AXIS_PATHS[axis]}/`, draw),
    ];
  };

  return [
    viewRoute("/", async (request, view) => {
      const { renderPage } = await import("../status/page/page.ts");
      return page(request, renderPage(overview(), telemetryPath, view));
    }),
    viewRoute(STATUS_PATH, async (request, view) => {
      const { statusJson } = await import("../status/json/write.ts");
      return answer(request, 200, "application/json", statusJson(overview(), view));
    }),
    get(ACCOUNT_PATH, async (request) => {
      const { renderAccountPage } = await import("../status/page/account-page.ts");
      return page(request, renderAccountPage(overview(), telemetryPath));
    }),
    get(EXPORTER_PATH, async (request) => {
      const { renderExporterPage } = await import("../status/page/exporter-page.ts");
      return page(request, renderExporterPage(overview(), telemetryPath));
    }),
    ...axisRoutes("model"),
    ...axisRoutes("app"),
    namedRoute(KEYS_PATH, async (name) => {
      const { renderKeyPage } = await import("../status/page/key-page.ts");
      return renderKeyPage(overview(), telemetryPath, name);
    }),
    get(`${STATUS_PATH}/schema`, async (request) => {
      const { statusSchemaText } = await import("../status/json/schema.ts");
      return answer(request, 200, "application/schema+json", statusSchemaText());
    }),
  ];
}

/** A route with the parameters of a view. */
function viewRoute(path: string, handle: (request: IncomingMessage, view: View) => Promise<Answer>): Route {
  return get(path, async (request) => {
    const asked = readView(/\?([^#]*)/.exec(request.url ?? "")?.[1] ?? "");
    return "problems" in asked
      ? textAnswer(400, ["Cannot show this view of the status", ...asked.problems, ""].join("\n"))
      : handle(request, asked.view);
  });
}

/** The pages of what the end of the path names. */
function namedRoute(path: string, draw: (name: string) => Promise<Written>): Route {
  return get(path, async (request) => {
    const name = decoded(pathOf(request).slice(path.length));
    if (name === undefined) return textAnswer(400, "Cannot decode the name in the path\n");
    return page(request, await draw(name), "../");
  });
}

/** Undefined: a percent sign does not begin an encoded character. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Pages link each other from the root `/`; `root` is the way to it, because a proxy may serve it below a path. */
function page(request: IncomingMessage, { text, isMissing }: Written, root = "./"): Promise<Answer> {
  const relative = text.replaceAll(/(?<= (?:href|action)=")\//g, root);
  return answer(request, isMissing ? 404 : 200, "text/html; charset=utf-8", relative);
}

/** Compressed off the event loop. The lowest level takes a fifth of the time of the default, for a quarter more bytes. */
async function answer(
  { headers }: IncomingMessage,
  status: number,
  type: string,
  text: string,
): Promise<Answer> {
  const common = { "content-type": type, vary: "Accept-Encoding" };
  if (!acceptsGzip(headers["accept-encoding"]?.toString()))
    return { status, headers: common, body: [Buffer.from(text)] };
  const body = [await gzipText(text, { level: 1 })];
  return { status, headers: { ...common, "content-encoding": "gzip" }, body };
}

const gzipText = promisify<string, object, Buffer>(gzip);
