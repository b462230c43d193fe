import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  accountDocument,
  axisDocument,
  jsonDocument,
  keyDocument,
  pageDocument,
  type StatusDocument,
} from "../status/documents.ts";
import { type DrawnPage, type StatusPage, TooManyViewsError, WithdrawnError } from "../status/status-page.ts";
import { ACCOUNT_PATH, AXIS_PATHS, KEYS_PATH, readView, STATUS_PATH, type View } from "../status/view.ts";
import { acceptsGzip } from "./metrics-route.ts";
import { type Answer, pathOf, type Route, textAnswer } from "./route.ts";

/** The status page and its data as JSON. All clients of a view get the same bytes, compressed once. */
export function createStatusRoutes(
  page: StatusPage,
  compress: typeof compressed = compressed,
): readonly Route[] {
  const zipped = new WeakMap<DrawnPage, Promise<Buffer>>();

  function gzipOf(drawn: DrawnPage): Promise<Buffer> {
    const bytes = zipped.get(drawn) ?? compress(drawn.body);
    zipped.set(drawn, bytes);
    return bytes;
  }

  async function answer({ headers }: IncomingMessage, document: StatusDocument): Promise<Answer> {
    const drawn = await page.current(document).catch(busyText);
    if (typeof drawn === "string") return textAnswer(503, drawn, { "retry-after": "1" });
    const status = drawn.isMissing ? 404 : 200;
    const common = { "content-type": document.contentType, vary: "Accept-Encoding" };
    return acceptsGzip(headers["accept-encoding"]?.toString())
      ? { status, headers: { ...common, "content-encoding": "gzip" }, body: [await gzipOf(drawn)] }
      : { status, headers: common, body: [drawn.body] };
  }

  const viewRoute = (path: string, documentOf: (view: View) => StatusDocument): Route => ({
    path,
    methods: ["GET"],
    handle: async (request) => {
      const asked = readView(/\?([^#]*)/.exec(request.url ?? "")?.[1] ?? "");
      return "problems" in asked
        ? textAnswer(400, ["Cannot show this view of the status", ...asked.problems, ""].join("\n"))
        : answer(request, documentOf(asked.view));
    },
  });

  const pageRoute = (path: string, document: StatusDocument): Route => ({
    path,
    methods: ["GET"],
    handle: (request) => answer(request, document),
  });

  const namedRoute = (path: string, documentOf: (name: string) => StatusDocument): Route => ({
    path,
    methods: ["GET"],
    handle: async (request) => {
      const name = decoded(pathOf(request).slice(path.length));
      return name === undefined
        ? textAnswer(400, "Cannot decode the name in the path\n")
        : answer(request, documentOf(name));
    },
  });

  return [
    viewRoute("/", pageDocument),
    viewRoute(STATUS_PATH, jsonDocument),
    pageRoute(ACCOUNT_PATH, accountDocument()),
    pageRoute(AXIS_PATHS.model, axisDocument("model")),
    pageRoute(AXIS_PATHS.app, axisDocument("app")),
    namedRoute(KEYS_PATH, keyDocument),
    namedRoute(`${AXIS_PATHS.model}/`, (name) => axisDocument("model", name)),
    namedRoute(`${AXIS_PATHS.app}/`, (name) => axisDocument("app", name)),
    { path: `${STATUS_PATH}/schema`, methods: ["GET"], handle: schemaAnswer },
  ];
}

/** Undefined: a percent sign does not begin an encoded character. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

async function schemaAnswer(): Promise<Answer> {
  const { statusSchemaText } = await import("../status/json/schema.ts");
  const body = [Buffer.from(statusSchemaText())];
  return { status: 200, headers: { "content-type": "application/schema+json" }, body };
}

/** Why a document cannot be drawn now. */
function busyText(error: unknown): string {
  if (error instanceof WithdrawnError) return "The values change too fast, try again later\n";
  if (error instanceof TooManyViewsError)
    return "Too many different views of the status at once, try again later\n";
  throw error;
}

const gzipBytes = promisify<Buffer, object, Buffer>(gzip);

/** Off the event loop. The lowest level takes a fifth of the time of the default one, for a quarter more bytes. */
function compressed(bytes: Buffer): Promise<Buffer> {
  return gzipBytes(bytes, { level: 1 });
}
