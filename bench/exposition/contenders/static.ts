import { readFileSync } from "node:fs";
import { listen, serveSubject } from "../contender.ts";

const file = process.argv[2] ?? "";
const bytes = readFileSync(file);

/** A server of prepared bytes: the lower bound for any server. */
await serveSubject(1, () => ({
  fill: () => {},
  render: () => Promise.resolve(),
  publish: () => Promise.resolve(),
  listen: () =>
    listen((_request, response) => {
      response.writeHead(200, {
        "content-type": "text/plain; version=0.0.4; charset=utf-8",
        "content-encoding": file.endsWith(".zst") ? "zstd" : "gzip",
        "content-length": bytes.length,
      });
      response.end(bytes);
    }),
}));
