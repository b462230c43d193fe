import { readFileSync } from "node:fs";
import { listen, serveSubject } from "../contender.ts";

const bytes = readFileSync(process.argv[2] ?? "");

/** A server of bytes that lie ready, which is the least that any can do. */
await serveSubject(1, () => ({
  fill: () => {},
  render: () => Promise.resolve(),
  publish: () => Promise.resolve(),
  listen: () =>
    listen((_request, response) => {
      response.writeHead(200, {
        "content-type": "text/plain; version=0.0.4; charset=utf-8",
        "content-encoding": "gzip",
        "content-length": bytes.length,
      });
      response.end(bytes);
    }),
}));
