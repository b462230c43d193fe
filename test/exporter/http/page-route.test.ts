import { get } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createPageRoute } from "../../../exporter/http/page-route.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { type DrawnPage, type StatusPage, WithdrawnError } from "../../../exporter/status/status-page.ts";

const HTML = `<p>${"figures ".repeat(10_000)}</p>`;

async function start(page: StatusPage) {
  const compressed: Buffer[] = [];
  const errors: unknown[] = [];
  const route = createPageRoute(page, async (bytes) => {
    compressed.push(bytes);
    return Buffer.from("zipped");
  });
  const server = createServer(
    [{ host: "127.0.0.1", port: 0 }],
    [route, { ...createPageRoute(page), path: "/real" }],
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
  let page: DrawnPage = { html: Buffer.from(HTML) };
  const { url, compressed } = await start({ current: () => Promise.resolve(page) });
  for (let drawn = 1; drawn <= 2; drawn++) {
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask(url, "br, gzip")));
    expect(new Set(answers.map(({ body }) => body.toString()))).toEqual(new Set(["zipped"]));
    expect(compressed).toHaveLength(drawn);
    page = { html: Buffer.from(HTML) };
  }
});

test("the page is the same with gzip and without", async () => {
  const { url } = await start({ current: () => Promise.resolve({ html: Buffer.from(HTML) }) });
  const [zipped, plain] = [await ask(`${url}/real`, "gzip"), await ask(`${url}/real`, "identity")];
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
