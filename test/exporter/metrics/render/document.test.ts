import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compose } from "../../../../exporter/metrics/render/document.ts";
import type { Family } from "../../../../exporter/metrics/family.ts";
import { deflate, gzipWithTail } from "../../../../exporter/metrics/render/gzip.ts";

const family: Family = {
  name: "example_credits",
  type: "gauge",
  help: "Example.",
  labels: ["key"],
  absent: "never",
};

test("a text of many pieces is the same with and without compression", async () => {
  const lines = Array.from(
    { length: 30_000 },
    (_, index) => `example_credits{key="key-${index}"} ${index}\n`,
  );
  const texts = Array.from({ length: 300 }, (_, index) =>
    lines.slice(index * 100, (index + 1) * 100).join(""),
  );
  // One text that is longer than a batch of inflating.
  texts.splice(150, 0, `example_credits{key="${"x".repeat(3_000_000)}"} 1\n`);
  const pieces = await Promise.all(texts.map((text) => deflate(Buffer.from(text))));
  const document = await compose([{ family, help: family.help }], "text", () => pieces, deflate);

  const text = Buffer.concat([...(await document.text())]).toString();
  const nothing = await deflate(Buffer.alloc(0));
  const unpacked = gunzipSync(Buffer.concat([...gzipWithTail(document, nothing, Buffer.alloc(0))]));
  const expected = `# HELP example_credits Example.\n# TYPE example_credits gauge\n${texts.join("")}`;
  expect(text === expected).toBe(true);
  expect(unpacked.toString() === expected).toBe(true);
});
