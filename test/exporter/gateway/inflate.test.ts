import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createInflate } from "../../../exporter/gateway/inflate.ts";
import { startClient } from "../../support/gateway-client.ts";
import { longestTurn } from "../../support/longest-turn.ts";

type Compress = (text: Buffer) => Buffer;

const CODECS: readonly (readonly [encoding: string, compress: Compress])[] = [
  ["gzip", (text) => gzipSync(text)],
  ["x-gzip", (text) => gzipSync(text)],
  ["GZIP", (text) => gzipSync(text)],
  ["deflate", (text) => deflateSync(text)],
  ["deflate", (text) => deflateRawSync(text)],
  ["br", (text) => brotliCompressSync(text)],
  ["identity", (text) => text],
  ["", (text) => text],
  ["gzip, identity", (text) => gzipSync(text)],
  ["gzip, br", (text) => brotliCompressSync(gzipSync(text))],
  ["br,gzip", (text) => gzipSync(brotliCompressSync(text))],
];

const MEBIBYTE = 1 << 20;

const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const LIMITS = { bodyBytes: MEBIBYTE, setting: "gateway.max_body" };
const CANNOT = 'Cannot read key "billing": ';

function inflated(body: Buffer, encoding: string | string[] | undefined, status = 200, limits = LIMITS) {
  return createInflate()({ status, headers: { "content-encoding": encoding }, body }, limits);
}

describe("createInflate()", () => {
  test.each(CODECS)("decompresses %j", async (encoding, compress) => {
    for (const length of [1, 100, 200_000, MEBIBYTE]) {
      const text = Buffer.from(`${"ab".repeat(length / 2)}x`.slice(0, length));
      const { body } = await inflated(compress(text), encoding);
      expect(body.equals(text)).toBe(true);
    }
  });

  test("leaves a body without content encoding, or without content, as it is", async () => {
    const body = Buffer.from("{}");
    expect((await inflated(body, undefined)).body).toBe(body);
    expect((await inflated(Buffer.alloc(0), "gzip")).body).toHaveLength(0);
  });

  test("reads a header that is sent twice", async () => {
    const body = brotliCompressSync(gzipSync("twice"));
    expect((await inflated(body, ["gzip", "br"])).body.toString()).toBe("twice");
  });

  test.each(["zstd", "compress", "aws-chunked", "gzip2", "br;q=1", "*", "gzip, zstd"])(
    "rejects %s, which was not requested",
    async (encoding) => {
      await expect(inflated(Buffer.from("x"), encoding)).rejects.toThrow(
        "has a content encoding that was not requested",
      );
    },
  );

  test("rejects a body that is compressed more than twice", async () => {
    const body = gzipSync(gzipSync(gzipSync("x")));
    await expect(inflated(body, "gzip, gzip, gzip")).rejects.toThrow("is compressed too often");
  });

  test.each(CODECS.slice(3, 6))("rejects %j that is cut anywhere", async (encoding, compress) => {
    const body = compress(Buffer.from('{"data":{"usage":1}}'.repeat(20)));
    for (let length = 1; length < body.length - 4; length++) {
      await expect(inflated(body.subarray(0, length), encoding)).rejects.toThrow("cannot be decompressed");
    }
  });

  test.each(["gzip", "deflate", "br"])("rejects any bytes as %s, or reads them", async (encoding) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        const result = await inflated(Buffer.from(bytes), encoding).catch((error: unknown) => error);
        const isExpected = result instanceof Error ? /^cannot be dec|^is larger/.test(result.message) : true;
        expect(isExpected).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  describe("stops at the limit", () => {
    test.each(CODECS.slice(2, 6))("of a body of %j", async (encoding, compress) => {
      const most = compress(Buffer.alloc(MEBIBYTE));
      expect((await inflated(most, encoding)).body).toHaveLength(MEBIBYTE);
      const more = compress(Buffer.alloc(MEBIBYTE + 1));
      const message = "is larger than 1048576 bytes (gateway.max_body)";
      await expect(inflated(more, encoding)).rejects.toThrow(message);
    });

    test("that is smaller than what is decompressed at once", async () => {
      const limits = { bodyBytes: 100, setting: "" };
      expect((await inflated(gzipSync(Buffer.alloc(100)), "gzip", 200, limits)).body).toHaveLength(100);
      const message = "is larger than 100 bytes";
      await expect(inflated(gzipSync(Buffer.alloc(101)), "gzip", 200, limits)).rejects.toThrow(message);
    });

    test("of a body that was compressed twice, after each step", async () => {
      const bomb = gzipSync(gzipSync(Buffer.alloc(64 * MEBIBYTE)));
      await expect(inflated(bomb, "gzip, gzip")).rejects.toThrow("is larger than 1048576 bytes");
    });

    test("and keeps no more in memory than that, however many bombs arrive together", async () => {
      const bomb = brotliCompressSync(Buffer.alloc(64 * MEBIBYTE), QUICKLY);
      const inflate = createInflate();
      const before = process.memoryUsage().arrayBuffers;
      let most = 0;
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      }, 1);
      const bombs = Array.from({ length: 50 }, () =>
        inflate({ status: 200, headers: { "content-encoding": "br" }, body: bomb }, LIMITS),
      );
      const results = await Promise.allSettled(bombs);
      clearInterval(watch);
      expect(results.every(({ status }) => status === "rejected")).toBe(true);
      // All 50 at their limits; the bombs are 3 GB.
      expect(most).toBeLessThan(64 * MEBIBYTE);
    });

    test("without holding up the event loop", async () => {
      const bomb = gzipSync(Buffer.alloc(512 * MEBIBYTE));
      const longest = await longestTurn(async () => {
        await expect(inflated(bomb, "gzip", 200, { ...LIMITS, bodyBytes: 16 * MEBIBYTE })).rejects.toThrow(
          "is larger than",
        );
      });
      // Times what parsing a body of 2 MiB takes.
      expect(longest).toBeLessThan(10);
    });
  });

  test("a refusal whose body cannot be decompressed, or is larger than a refusal may be, has an empty one", async () => {
    const bodies = [Buffer.from("no gzip"), gzipSync(Buffer.alloc(65_537)), gzipSync("x").subarray(0, 9)];
    for (const body of bodies) {
      expect((await inflated(body, "gzip", 429)).body).toHaveLength(0);
      expect((await inflated(body, "zstd", 503)).body).toHaveLength(0);
    }
    expect((await inflated(gzipSync("why"), "gzip", 403)).body.toString()).toBe("why");
  });
});

describe("the client", () => {
  test.each(CODECS)("requests compressed answers and reads %j", async (encoding, compress) => {
    const text = Buffer.from(JSON.stringify({ data: { usage: 1.5 } }));
    const { server, send } = await startClient((response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(compress(text));
    });
    expect(await send()).toEqual({ data: { usage: 1.5 } });
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("gzip, deflate, br");
  });

  test.each<[string, Buffer, string, string]>([
    ["cut", gzipSync("{}").subarray(0, -1), "gzip", "the answer cannot be decompressed"],
    ["of another kind", Buffer.from("{}"), "br", "the answer cannot be decompressed"],
    ["unknown", Buffer.from("{}"), "zstd", "the answer has a content encoding that was not requested"],
    [
      "a bomb",
      gzipSync(Buffer.alloc(33 * MEBIBYTE)),
      "gzip",
      expect.stringMatching(/^the answer is larger than \d+ bytes \(gateway\.max_body\)$/),
    ],
    ["not JSON", gzipSync("no"), "gzip", "gateway answered 200 with a body that is not JSON"],
    ["empty", gzipSync(""), "gzip", "gateway answered 200 with an empty body"],
  ])("reports an answer that is %s as bad_response", async (_, body, encoding, why) => {
    const { failing } = await startClient((response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(body);
    });
    const failure = await failing();
    expect(failure).toMatchObject({ kind: "bad_response" });
    const message = failure instanceof Error ? failure.message.replace(CANNOT, "") : "";
    expect(message).toEqual(why);
  });

  test("reads the message and the retry-after of a compressed refusal", async () => {
    const error = { message: "Slow down", metadata: { headers: { "X-RateLimit-Reset": "1795003230" } } };
    const { failing } = await startClient((response) => {
      response.writeHead(403, { "content-encoding": "br" });
      response.end(brotliCompressSync(JSON.stringify({ error })));
    });
    expect(await failing()).toMatchObject({
      kind: "forbidden",
      message: `${CANNOT}gateway answered 403: Slow down`,
    });
  });
});
