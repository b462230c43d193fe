import { deflateSync, gzipSync } from "node:zlib";
import { type Answer, answerJson, type Exchange, head, pause, repeat, type Sink, write } from "./exchange.ts";

/** The size of the largest attacks: just below the default of `gateway.max_body`. */
export const LARGE = 16 * 2 ** 20 - 4096;

/** Attacks below JSON: connections, heads, framing, encodings. Each works for every endpoint. */
export const transportAnswers: Readonly<Record<string, Answer>> = {
  "no answer": () => {},
  "16 MB in chunks of one byte": async ({ socket }) => {
    await write(socket, head(200, CHUNKED));
    await repeat(socket, ONE_BYTE_CHUNKS, LARGE / 8192);
    await write(socket, "0\r\n\r\n");
  },
  "an error of 16 MB in chunks of one byte": async ({ socket }) => {
    await write(socket, head(500, CHUNKED));
    await repeat(socket, ONE_BYTE_CHUNKS, LARGE / 8192);
    await write(socket, "0\r\n\r\n");
  },
  "one-byte packets": async ({ socket, right }) => {
    const text = JSON.stringify(right);
    for (const byte of head(200, { "content-length": text.length }) + text) {
      if (!(await write(socket, byte))) return;
      await pause(0);
    }
  },
  "a chunk extension of 16 MB": async ({ socket }) => {
    await write(socket, `${head(200, CHUNKED)}1;x=`);
    await repeat(socket, FILLER, LARGE / FILLER.length);
    await write(socket, "\r\n{\r\n0\r\n\r\n");
  },
  "endless trailers": async ({ socket }) => {
    await write(socket, `${head(200, CHUNKED)}2\r\n{}\r\n0\r\n`);
    await repeat(socket, `x: ${"y".repeat(1000)}\r\n`, ENDLESS);
  },
  "a header of 1 MB": async ({ socket, right }) =>
    answerJson(socket, JSON.stringify(right), 200, { "x-large": "y".repeat(2 ** 20) }),
  "10,000 headers": async ({ socket, right }) =>
    answerJson(
      socket,
      JSON.stringify(right),
      200,
      Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x-${index}`, index])),
    ),
  "endless headers": async ({ socket }) => {
    await write(socket, "HTTP/1.1 200 OK\r\n");
    await repeat(socket, "x: y\r\n".repeat(1000), ENDLESS);
  },
  "an endless reason": async ({ socket }) => {
    await write(socket, "HTTP/1.1 200 ");
    await repeat(socket, FILLER, ENDLESS);
  },
  "headers a byte at a time": async ({ socket }) => {
    for (const byte of head(200, { "x-slow": "y".repeat(1000) })) {
      if (!(await write(socket, byte))) return;
      await pause(50);
    }
  },
  "a body a byte at a time": async ({ socket, right }) => {
    const text = JSON.stringify(right);
    await write(socket, head(200, { "content-length": text.length }));
    for (const byte of text) {
      if (!(await write(socket, byte))) return;
      await pause(50);
    }
  },
  "an endless body": async ({ socket }) => {
    await write(socket, head(200, CHUNKED));
    await repeat(socket, `10000\r\n${" ".repeat(0x10000)}\r\n`, ENDLESS);
  },
  "an endless error": async ({ socket }) => {
    await write(socket, head(502, {}));
    await repeat(socket, FILLER, ENDLESS);
  },
  "100,000 early hints before the answer": async ({ socket, right }) => {
    await repeat(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(1000), 100);
    await answerJson(socket, JSON.stringify(right));
  },
  "endless 100 Continue": async ({ socket }) =>
    void (await repeat(socket, "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000), ENDLESS)),
  "early hints then a reset": async ({ socket }) => {
    await write(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
    await pause(5);
    socket.reset();
  },
  "101 Switching Protocols": async ({ socket }) =>
    void (await write(
      socket,
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
    )),
  "a reset before the head": ({ socket }) => socket.reset(),
  "a reset within the head": async ({ socket }) => cut(socket, "HTTP/1.1 200 O", abort),
  "a reset after the head": async ({ socket }) => cut(socket, head(200, { "content-length": 100 }), abort),
  "a reset within the body": async ({ socket }) =>
    cut(socket, `${head(200, { "content-length": 100 })}{"data":`, abort),
  "a reset after the answer": async ({ socket, right }) => {
    await answerJson(socket, JSON.stringify(right));
    await pause(1);
    socket.reset();
  },
  "an end before the head": ({ socket }) => socket.end(),
  "an end within the body": async ({ socket }) =>
    cut(socket, `${head(200, { "content-length": 100 })}{"data":`, finish),
  "a Content-Length that is too small": async ({ socket, right }) =>
    answerJson(socket, JSON.stringify(right), 200, { "content-length": 5 }),
  "a Content-Length that is too large": async ({ socket, right }) =>
    answerJson(socket, JSON.stringify(right), 200, { "content-length": 2 ** 40 }),
  "a Content-Length that is no number": async ({ socket, random }) =>
    answerJson(socket, "{}", 200, {
      "content-length": pickOf(["-1", "0x10", "1e9", "99999999999999999999"], random),
    }),
  "two Content-Lengths": async ({ socket }) =>
    void (await write(socket, `${head(200, { "content-length": 2, "Content-Length": 20 })}{}`)),
  "both framings": async ({ socket, right }) =>
    answerJson(socket, `5\r\n${JSON.stringify(right)}`, 200, CHUNKED),
  "a chunk of 2^64 bytes": async ({ socket, random }) =>
    void (await write(
      socket,
      `${head(200, CHUNKED)}${pickOf(["ffffffffffffffff", "-1", "10000000000000000", "zz"], random)}\r\n{}`,
    )),
  "a gzip bomb of 1 GB": async ({ socket }) =>
    answerJson(socket, bomb(), 200, { "content-encoding": "gzip" }),
  "a gzip bomb within a gzip bomb": async ({ socket }) =>
    answerJson(socket, gzipSync(bomb()), 200, { "content-encoding": "gzip, gzip" }),
  "a truncated gzip": async ({ socket, right }) => {
    const whole = gzipSync(JSON.stringify(right));
    await answerJson(socket, whole.subarray(0, whole.length - 12), 200, { "content-encoding": "gzip" });
  },
  "a wrong Content-Encoding": async ({ socket, right, random }) =>
    answerJson(socket, deflateSync(JSON.stringify(right)), 200, {
      "content-encoding": pickOf(["gzip", "br", "zstd", "identity, gzip", "x".repeat(8000)], random),
    }),
  // In one packet: bytes that arrive after the next request cannot be told from its answer.
  "a second answer that nobody asked for": async ({ socket }) => {
    const forged = JSON.stringify({ data: { usage: 666, limit: 666, limit_remaining: 666 } });
    const answer = head(200, { "content-length": forged.length }) + forged;
    await write(socket, answer.repeat(3));
  },
  "HTTP/0.9": async ({ socket, right }) => cut(socket, JSON.stringify(right), finish),
  "another protocol": async ({ socket, random }) =>
    cut(
      socket,
      pickOf(
        [
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
          "220 mail ESMTP\r\n",
          "\u0015\u0003\u0001\0\u0002\u0002\n",
          "SSH-2.0-x\r\n",
        ],
        random,
      ),
      finish,
    ),
  "an invalid status": async ({ socket, random }) =>
    void (await write(
      socket,
      `HTTP/1.1 ${pickOf(["999 X", "000 X", "20 OK", "-200 X", "2000 X", " "], random)}\r\ncontent-length: 0\r\n\r\n`,
    )),
  "a redirect": async (exchange) => {
    const { socket, elsewhere, random } = exchange;
    await answerJson(socket, "{}", 301 + Math.floor(random() * 8), {
      location: locationOf(exchange, elsewhere),
    });
  },
};

/** Attacks before the request arrives. */
export const connectionAnswers: Readonly<Record<string, Answer>> = {
  "a reset of the connection": ({ socket }) => socket.reset(),
  "an answer before the request": ({ socket }) => answerJson(socket, '{"error":"you are nobody"}', 401),
  "a connection that is accepted and never read": ({ socket }) => socket.pause(),
};

const CHUNKED = { "transfer-encoding": "chunked" };
const ONE_BYTE_CHUNKS = Buffer.from("1\r\n0\r\n".repeat(8192));
const FILLER = Buffer.alloc(65_536, "x");
/** More than the exporter reads before its time limit. */
const ENDLESS = 1e9;

async function cut(socket: Sink, text: string, end: (socket: Sink) => void) {
  await write(socket, text);
  await pause(5);
  end(socket);
}

function locationOf({ secret, random }: Exchange, elsewhere: string): string {
  return pickOf(
    [
      `http://${elsewhere}/key`,
      `//${elsewhere}`,
      `http://user:${secret}@${elsewhere}/`,
      "file:///etc/passwd",
      "/api/v1/key",
      "x".repeat(10_000),
    ],
    random,
  );
}

export function pickOf<Item>(items: readonly [Item, ...Item[]], random: () => number): Item {
  return items[Math.floor(random() * items.length)] ?? items[0];
}

/** Members of a gzip file are inflated one after another. */
const bomb = (): Buffer => Buffer.concat(Array.from({ length: 1024 }, () => MEBIBYTE));
const MEBIBYTE = gzipSync(Buffer.alloc(2 ** 20, " "));

function abort(socket: Sink): void {
  socket.reset();
}

function finish(socket: Sink): void {
  socket.end();
}
