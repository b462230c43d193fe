import { type ClientAttack, ended, LOGIN_HEADER, loops, open, rest, strike, type Target } from "./target.ts";

/** Attacks by requests that no honest client sends. */
export const requestAttacks: Readonly<Record<string, ClientAttack>> = {
  "headers of 1 MB": each(() => `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(2 ** 20)}\r\n\r\n`),
  "2,000 headers": each(() => `GET / HTTP/1.1\r\nhost: x\r\n${"x: y\r\n".repeat(2000)}\r\n`),
  "a path of 1 MB": each(() => `GET /${"a".repeat(2 ** 20)} HTTP/1.1\r\nhost: x\r\n\r\n`),
  "a body without an end": async (target) => {
    const piece = Buffer.alloc(65_536, "x");
    await loops(target, 4, async () => {
      const socket = open(target);
      socket.write(
        `POST /-/healthy HTTP/1.1\r\nhost: x\r\n${LOGIN_HEADER}content-length: 1000000000\r\n\r\n`,
      );
      for (let sent = 0; sent < 400 && socket.writable; sent++) {
        if (!socket.write(piece)) await rest(5);
      }
      target.struck("body");
      socket.destroy();
    });
  },
  "forms of targets that are not paths": each(({ random }) => {
    const forms = [
      "http://elsewhere/metrics",
      "*",
      "elsewhere:443",
      "//metrics",
      "/..;/metrics",
      "/%6d%65trics",
      "/metrics%00",
      "\\metrics",
      "",
      "?",
    ];
    const method = random() < 0.2 ? "CONNECT" : "GET";
    return `${method} ${forms[Math.floor(random() * forms.length)]} HTTP/1.1\r\nhost: x\r\n${LOGIN_HEADER}\r\n`;
  }),
  "invalid methods and protocols": each(({ random }) => {
    const forms = [
      "GET /metrics\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\u0016\u0003\u0001\u0002\u0000\u0001",
      "TRACE / HTTP/1.1\r\nhost: x\r\n\r\n",
      "X".repeat(100_000),
      "\u0000".repeat(1000),
      "GET / HTTP/9.9\r\n\r\n",
      "GET / HTTP/1.1\r\nhost: x\r\nupgrade: h2c\r\nconnection: upgrade, http2-settings\r\n\r\n",
      "GET / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n",
    ];
    return forms[Math.floor(random() * forms.length)] ?? "";
  }),
  "headers of negotiation": each(({ random }) => {
    const values = [
      "gzip;q=0.0000001",
      "gzip;q=-1",
      "gzip;q=1e9",
      "*;q=0",
      "gzip;q=NaN",
      "identity;q=0, *;q=0",
      "gzip,".repeat(2000),
      "application/openmetrics-text;version=1.0.0;q=0.5,".repeat(100),
      ";".repeat(10_000),
      '"'.repeat(5000),
    ];
    const value = (): string => values[Math.floor(random() * values.length)] ?? "";
    return `GET /metrics HTTP/1.1\r\nhost: x\r\naccept: ${value()}\r\naccept-encoding: ${value()}\r\n${LOGIN_HEADER}\r\n`;
  }),
  "invalid logins": each(({ random }) => {
    const values = [
      "Basic",
      "Basic =====",
      `Basic ${"A".repeat(12_000)}`,
      "Bearer x",
      "Digest a=b",
      `Basic ${Buffer.from("\u0000:\u0000").toString("base64")}`,
      `Basic ${Buffer.from("prometheus").toString("base64")}`,
    ];
    return `GET /metrics HTTP/1.1\r\nhost: x\r\nauthorization: ${values[Math.floor(random() * values.length)]}\r\n\r\n`;
  }),
  "half-closed connections": async (target) =>
    loops(target, 8, async () => {
      const socket = open(target);
      socket.end(`GET /metrics HTTP/1.1\r\nhost: x\r\n${LOGIN_HEADER}\r\n`);
      await rest(50);
      target.struck("half-closed");
      socket.destroy();
    }),
};

/** Requests that must not reload the configuration. Each has a login that is right, as a browser would send it. */
export const reloadAttacks: Readonly<Record<string, ClientAttack>> = {
  "reloads from another site": slowly(({ random }) =>
    post(
      [
        "origin: https://elsewhere.example\r\n",
        "origin: null\r\n",
        "sec-fetch-site: cross-site\r\n",
        "sec-fetch-site: same-site\r\norigin: http://x.example\r\n",
        "origin: http://127.0.0.1:1\r\n",
        "referer: https://elsewhere.example/\r\norigin: https://elsewhere.example\r\ncontent-type: text/plain\r\n",
      ],
      random,
    ),
  ),
  "reloads with two framings": slowly(({ random }) =>
    post(
      [
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
        "transfer-encoding: \u000bchunked\r\n",
        "transfer-encoding : chunked\r\n",
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: -1\r\n",
        "content-length: +0\r\n",
        " transfer-encoding: chunked\r\n",
        "x: y\n\ncontent-length: 1\r\n",
      ],
      random,
      "",
    ),
  ),
  "reloads that are incomplete": slowly(({ random }) =>
    post(
      [
        "content-length: 1000\r\n",
        "transfer-encoding: chunked\r\n",
        "expect: 100-continue\r\ncontent-length: 10\r\n",
        "transfer-encoding: chunked\r\nx: y\r\n",
      ],
      random,
      "",
    ),
  ),
  "reloads without login": slowly(
    () => "POST /-/reload HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\n\r\n",
  ),
  "reloads by GET": slowly(() => `GET /-/reload HTTP/1.1\r\nhost: 127.0.0.1\r\n${LOGIN_HEADER}\r\n`),
};

function post(headers: readonly string[], random: () => number, length = "content-length: 0\r\n"): string {
  const header = headers[Math.floor(random() * headers.length)] ?? "";
  return `POST /-/reload HTTP/1.1\r\nhost: 127.0.0.1\r\n${LOGIN_HEADER}${length}${header}\r\n`;
}

function each(make: (target: Target) => string): ClientAttack {
  return (target) => loops(target, 4, () => strike(target, Buffer.from(make(target), "latin1")));
}

/** A few times a second. */
function slowly(make: (target: Target) => string): ClientAttack {
  return async (target) => {
    await rest(300);
    await loops(target, 1, async () => {
      await strike(target, Buffer.from(make(target), "latin1"), 400);
      await Promise.race([rest(200), ended(target)]);
    });
  };
}
