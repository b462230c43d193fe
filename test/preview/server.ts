import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";

import { dashboards } from "../../dashboards/index.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { ROOT } from "../support/repository.ts";

/** Serves the drawn dashboards: the page, the dashboards' JSON, and a Prometheus server's answers. */
export interface PreviewServer {
  readonly url: string;
  stop(): Promise<void>;
}

const DIST = join(ROOT, "preview", "dist");

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

export async function startPreviewServer(prometheusUrl: string, port = 0): Promise<PreviewServer> {
  const server = createServer((request, response) => {
    answer(new URL(request.url ?? "/", "http://127.0.0.1"), prometheusUrl, response).catch(
      (error: unknown) => {
        response.statusCode = 502;
        response.end(JSON.stringify({ status: "error", error: String(error) }));
      },
    );
  });
  const { address, stop } = await listenOnLoopback(server, port);
  return { url: `http://${address}`, stop };
}

async function answer(
  { pathname, search }: URL,
  prometheusUrl: string,
  response: ServerResponse,
): Promise<void> {
  const [, folder = "", name = ""] = /^\/([\w.]*)(?:\/(.*))?$/.exec(pathname) ?? [];
  const dashboard = dashboards.find(({ uid }) => name === `${uid}.json`);
  if (folder === "") {
    response.writeHead(302, { location: `/d/${dashboards[0]?.uid ?? ""}` }).end();
  } else if (folder === "d") {
    await sendFile(response, "index.html");
  } else if (folder === "assets" && /^\w+\.\w+$/.test(name)) {
    await sendFile(response, name);
  } else if (folder === "dashboards.json") {
    sendJson(response, JSON.stringify(dashboards.map(({ uid, title }) => ({ uid, title }))));
  } else if (folder === "dashboards" && dashboard) {
    sendJson(response, dashboard.json);
  } else if (folder === "favicon.ico") {
    response.writeHead(204).end();
  } else if (folder === "prometheus") {
    const upstream = await fetch(`${prometheusUrl}/${name}${search}`);
    response.statusCode = upstream.status;
    sendJson(response, await upstream.text());
  } else {
    response.writeHead(404).end();
  }
}

async function sendFile(response: ServerResponse, name: string): Promise<void> {
  response.setHeader("content-type", TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream");
  response.end(await readFile(join(DIST, name)));
}

function sendJson(response: ServerResponse, text: string): void {
  response.setHeader("content-type", "application/json");
  response.end(text);
}
