import { readFileSync } from "node:fs";
import { get } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createStatusRoutes } from "../../../exporter/http/status-routes.ts";
import { createServer } from "../../../exporter/http/server.ts";
import {
  type DrawnPage,
  type StatusPage,
  TooManyViewsError,
  WithdrawnError,
} from "../../../exporter/status/status-page.ts";

const HTML = `<p>${"figures ".repeat(10_000)}</p>`;

async function start(page: StatusPage) {
  const compressed: Buffer[] = [];
  const errors: unknown[] = [];
  const routes = createStatusRoutes(page, async (bytes) => {
    compressed.push(bytes);
    return Buffer.from("zipped");
  });
  const server = createServer(
    [{ host: "127.0.0.1", port: 0 }],
    [...routes, ...createStatusRoutes(page).map((route) => ({ ...route, path: `/real${route.path}` }))],
    (error) => errors.push(error),
  );
  await server.start();
  onTestFinished(() => server.stop());
  return { url: server.url(), compressed, errors };
}

/** The raw bytes of the answer; `fetch` would decode them. */
function ask(url: string, encoding: string) {
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

test("a page is compressed once for all readers, and again after it was drawn again", async () => {
  let page: DrawnPage = { body: Buffer.from(HTML) };
  const { url, compressed } = await start({ current: () => Promise.resolve(page) });
  for (let drawn = 1; drawn <= 2; drawn++) {
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask(url, "br, gzip")));
    expect(new Set(answers.map(({ body }) => body.toString()))).toEqual(new Set(["zipped"]));
    expect(compressed).toHaveLength(drawn);
    page = { body: Buffer.from(HTML) };
  }
});

test("the page is the same with gzip and without", async () => {
  const { url } = await start({ current: () => Promise.resolve({ body: Buffer.from(HTML) }) });
  const [zipped, plain] = [await ask(`${url}/real/`, "gzip"), await ask(`${url}/real/`, "identity")];
  expect([zipped.headers["content-encoding"], plain.headers["content-encoding"]]).toEqual([
    "gzip",
    undefined,
  ]);
  expect([zipped.headers["vary"], plain.headers["vary"]]).toEqual(["Accept-Encoding", "Accept-Encoding"]);
  expect(gunzipSync(zipped.body).toString()).toBe(HTML);
  expect(plain.body.toString()).toBe(HTML);
  expect(zipped.body.length).toBeLessThan(1000);
});

test("a page that cannot be drawn is a 503 if its values are withdrawn all the time, and else an error", async () => {
  const withdrawn = await start({ current: () => Promise.reject(new WithdrawnError()) });
  const refused = await ask(withdrawn.url, "gzip");
  expect([refused.status, refused.headers["retry-after"], withdrawn.errors]).toEqual([503, "1", []]);
  const broken = await start({ current: () => Promise.reject(new Error("broken")) });
  expect((await ask(broken.url, "gzip")).status).toBe(500);
  expect(broken.errors).toEqual([new Error("broken")]);
});

test.each([
  ["?team=payments&sort=month", 200],
  ["?search=&team=&state=&sort=", 200],
  ["?utm=1", 400],
  ["?page=0", 400],
])("an address that ends with %s is answered with %i", async (query, status) => {
  const { url } = await start({ current: () => Promise.resolve({ body: Buffer.from(HTML) }) });
  const answer = await ask(`${url}/${query}`, "identity");
  expect([answer.status, answer.headers["content-type"]]).toEqual([
    status,
    `text/${status === 200 ? "html" : "plain"}; charset=utf-8`,
  ]);
});

test.each([
  ["/api/v1/status", 200, "application/json"],
  ["/api/v1/status?team=payments&page=2", 200, "application/json"],
  ["/api/v1/status?team=a&team=b", 400, "text/plain; charset=utf-8"],
  ["/api/v1/status?limit=5", 400, "text/plain; charset=utf-8"],
])("the status as JSON at %s is answered with %i", async (path, status, type) => {
  const asked: string[] = [];
  const page: StatusPage = {
    current: (document) => {
      asked.push(document?.address ?? "");
      return Promise.resolve({ body: Buffer.from("{}\n") });
    },
  };
  const { url } = await start(page);
  const answer = await ask(url + path, "identity");
  expect([answer.status, answer.headers["content-type"]]).toEqual([status, type]);
  expect(asked).toEqual(status === 200 ? [path] : []);
});

test.each([
  ["/keys/billing", "/keys/billing", 200],
  ["/keys/a%2Fb?x=1", "/keys/a%2Fb", 200],
  ["/keys/a/b", "/keys/a%2Fb", 200],
  ["/keys/%3Cscript%3E", "/keys/%3Cscript%3E", 404],
  ["/keys/", "/keys/", 404],
  ["/keys/%E0%A4%A", undefined, 400],
  ["/account", "/account", 200],
  ["/account/x", undefined, 404],
  ["/models?x=1", "/models", 200],
  ["/models/acme%2Fone", "/models/acme%2Fone", 200],
  ["/models/acme/one", "/models/acme%2Fone", 200],
  ["/models/", "/models/", 404],
  ["/models/%E0%A4%A", undefined, 400],
  ["/apps", "/apps", 200],
  ["/apps/Chat%20Bot", "/apps/Chat%20Bot", 200],
  ["/appsX", undefined, 404],
  ["/keys", undefined, 404],
  ["/keysX/billing", undefined, 404],
])("the page at %s is that of %s, answered with %i", async (path, address, status) => {
  const asked: (string | undefined)[] = [];
  const page: StatusPage = {
    current: (document) => {
      asked.push(document?.address);
      return Promise.resolve({ body: Buffer.from(HTML), isMissing: status === 404 });
    },
  };
  const { url } = await start(page);
  expect((await ask(url + path, "gzip")).status).toBe(status);
  expect(asked).toEqual(address === undefined ? [] : [address]);
});

test("the schema of the JSON is the one of the documentation", async () => {
  const { url } = await start({ current: () => Promise.reject(new Error("not drawn")) });
  const answer = await ask(`${url}/api/v1/status/schema`, "identity");
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/schema+json"]);
  expect(answer.body.toString()).toBe(readFileSync("docs/status-schema.json", "utf8"));
});

test("too many views at once are a 503 that asks to wait", async () => {
  const { url, errors } = await start({ current: () => Promise.reject(new TooManyViewsError()) });
  const refused = await ask(`${url}/?page=2`, "gzip");
  expect([refused.status, refused.headers["retry-after"], errors]).toEqual([503, "1", []]);
});
