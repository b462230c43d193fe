import { gzipSync } from "node:zlib";
import { createServer, type Socket } from "node:net";

import { type Listening, listenOnLoopback } from "../support/loopback.ts";
import { keyBody } from "./right-answers.ts";

/** What a hostile gateway sends for one key, and whether the key is up afterwards. */
export interface HostileAnswer {
  readonly up: 0 | 1;
  readonly send: (socket: Socket, secret: string) => void;
}

const MEBIBYTE = 1_048_576;
const BOMB = gzipSync(Buffer.alloc(64 * MEBIBYTE, " "));

/** By the name of the key. */
export const HOSTILE_ANSWERS: Readonly<Record<string, HostileAnswer>> = {
  silence: { up: 0, send: () => {} },
  "reset-connection": { up: 0, send: (socket) => void socket.resetAndDestroy() },
  "endless-headers": endless("HTTP/1.1 200 OK\r\n", "x: y\r\n".repeat(1000)),
  "header-of-1-mb": failing(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(MEBIBYTE)}\r\n\r\n`),
  "endless-continue": endless("", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100)),
  "endless-body": endless("HTTP/1.1 200 OK\r\n\r\n", "x".repeat(65_536)),
  "body-of-16-mb": failing(answer(" ".repeat(16 * MEBIBYTE))),
  "chunks-of-one-byte": failing(
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(MEBIBYTE)}`,
  ),
  "chunk-of-2-64": failing("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10000000000000000\r\nx"),
  "two-lengths": failing("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}"),
  "two-framings": failing(
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  ),
  "length-too-large": failing("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{}"),
  "another-protocol": failing("\u0016\u0003\u0001\u0002\u0000\u0001"),
  "switching-protocols": failing("HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n"),
  "redirect-inside": failing(
    answer("", "307 Temporary Redirect", "location: http://169.254.169.254/latest\r\n"),
  ),
  "gzip-bomb": failing(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`),
      BOMB,
    ]),
  ),
  "deeply-nested": failing(answer(`{"data":${"[".repeat(30_000)}${"]".repeat(30_000)}}`)),
  "rest-for-ever": failing(answer("{}", "429 Slow Down", "retry-after: 9007199254740993\r\n")),
  "prototype-names": shown({ ["__proto__"]: { usage: 1 }, constructor: 1, toString: "x" }),
  "label-of-30-kb": shown({ label: "x".repeat(30_000) }),
  "strange-label": shown({ label: '\u0000\n"}\\ 1\n# HELP x y\u202e' }),
  "secret-as-label": shownSecret("label"),
  "secret-as-reset": shownSecret("limit_reset"),
  "secret-as-amount": {
    up: 0,
    send: (socket, secret) => socket.end(answer(rightWith({ usage: secret }))),
  },
  "secret-in-error": telling((secret) => secret),
  "secret-in-base64": telling((secret) => Buffer.from(secret).toString("base64")),
  "secret-in-hex": telling((secret) => Buffer.from(secret).toString("hex")),
  "secret-in-percent": telling((secret) => secret.replaceAll("/", "%2F")),
};

/** A gateway of raw sockets: keys with these names get their answers, others the right one. */
export function startHostileGateway(tokens: ReadonlyMap<string, string>): Promise<Listening> {
  const names = new Map([...tokens].map(([name, token]) => [token, name]));
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const token = /authorization: Bearer (\S+)/i.exec(bytes.toString())?.[1] ?? "";
      const hostile = HOSTILE_ANSWERS[names.get(token) ?? ""];
      if (hostile) hostile.send(socket, token);
      else socket.write(answer(JSON.stringify(keyBody(1))));
    });
  });
  return listenOnLoopback(server);
}

function answer(body: string, status = "200 OK", headers = ""): string {
  return `HTTP/1.1 ${status}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function failing(bytes: string | Uint8Array): HostileAnswer {
  return { up: 0, send: (socket) => socket.end(bytes) };
}

function endless(head: string, piece: string): HostileAnswer {
  const send = (socket: Socket): void => {
    const more = (): void => {
      while (socket.writable && socket.write(piece));
    };
    socket.on("drain", more).write(head);
    more();
  };
  return { up: 0, send };
}

function rightWith(fields: object): string {
  return JSON.stringify({ data: { ...Object(keyBody(1)["data"]), ...fields } });
}

function shown(fields: object): HostileAnswer {
  return { up: 1, send: (socket) => void socket.write(answer(rightWith(fields))) };
}

function shownSecret(field: string): HostileAnswer {
  return { up: 1, send: (socket, secret) => void socket.write(answer(rightWith({ [field]: secret }))) };
}

function telling(form: (secret: string) => string): HostileAnswer {
  return {
    up: 0,
    send: (socket, secret) =>
      void socket.write(
        answer(
          JSON.stringify({ error: { code: 403, message: `no access for ${form(secret)}` } }),
          "403 Forbidden",
        ),
      ),
  };
}
