import { readFileSync } from "node:fs";
import { get } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createStatusRoutes } from "../../../exporter/http/status-routes.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { key, overviewOf, query } from "../status/page/page-reader.ts";

const PAIR = { model: "acme/one", app: "Chat Bot", credits: 1 };
const OVERVIEW = overviewOf({
  keys: [key("billing"), key("a/b")],
  queries: [query("day", { credits: 1, pairs: [PAIR] })],
});

async function start(overview = () => OVERVIEW) {
  const errors: unknown[] = [];
  const routes = createStatusRoutes(overview, "/metrics");
  const server = createServer([{ host: "127.0.0.1", port: 0 }], routes, (error) => errors.push(error));
  await server.start();
  onTestFinished(() => server.stop());
  return { url: server.url(), errors };
}

/** The raw bytes of the answer; `fetch` would decode them. */
function ask(url: string, encoding = "identity") {
  return new Promise<{
    body: Buffer;
    headers: Readonly<Record<string, unknown>>;
    status: number | undefined;
  }>((resolve, reject) => {
    get(url, { headers: { "accept-encoding": encoding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ body: Buffer.concat(chunks), headers: response.headers, status: response.statusCode }),
      );
    }).on("error", reject);
  });
}

test("a page that cannot be drawn is an error", async () => {
  const { url, errors } = await start(() => {
    throw new Error("broken");
  });
  expect([(await ask(url)).status, errors]).toEqual([500, [new Error("broken")]]);
});

const [HTML, JSON_TYPE, TEXT] = ["text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"];

test.each([
  ["/?team=payments&sort=month", 200, HTML],
  ["/?utm=1", 400, TEXT],
  ["/?page=0", 400, TEXT],
  ["/api/v1/status", 200, JSON_TYPE],
  ["/api/v1/status?team=payments&page=2", 200, JSON_TYPE],
  ["/api/v1/status?team=a&team=b", 400, TEXT],
  ["/keys/billing", 200, HTML],
  ["/keys/a%2Fb?x=1", 200, HTML],
  ["/keys/%3Cscript%3E", 404, HTML],
  ["/account", 200, HTML],
  ["/models/acme%2Fone", 200, HTML],
  ["/models/%E0%A4%A", 400, TEXT],
  ["/apps", 200, HTML],
  ["/apps/Chat%20Bot", 200, HTML],
  ["/keys", 404, TEXT],
])("%s is answered with %i, %s", async (path, status, type) => {
  const { url } = await start();
  const answer = await ask(url + path);
  expect([answer.status, answer.headers["content-type"]]).toEqual([status, type]);
});

test("the schema of the JSON is the one of the documentation", async () => {
  const { url } = await start();
  const answer = await ask(`${url}/api/v1/status/schema`);
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/schema+json"]);
  expect(answer.body.toString()).toBe(readFileSync("docs/status-schema.json", "utf8"));
});
