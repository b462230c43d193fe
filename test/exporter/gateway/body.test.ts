import { expect, test } from "vitest";
import { createBody } from "../../../exporter/gateway/body.ts";

test.each([
  ["nothing", [], ""],
  ["one chunk", ["abc"], "abc"],
  ["an empty chunk first", ["", "abc", "", "d"], "abcd"],
  ["chunks of one byte up to the limit", Array<string>(10_000).fill("x"), "x".repeat(10_000)],
  ["one large chunk after a small one", ["a", "b".repeat(9999)], `a${"b".repeat(9999)}`],
])("createBody joins %s", (_, chunks, text) => {
  const body = createBody(10_000);
  for (const chunk of chunks) body.add(Buffer.from(chunk));
  expect([body.bytes().toString(), body.length]).toEqual([text, text.length]);
});

test("createBody keeps no chunk but the first, and no more than the limit", () => {
  const body = createBody(5000);
  const chunk = Buffer.from("x");
  for (let count = 0; count < 5000; count++) {
    body.add(chunk);
    chunk.write("y");
  }
  expect(body.bytes().toString().slice(2)).toBe("y".repeat(4998));
  expect(body.bytes().buffer.byteLength).toBe(5000);
});
