import type { Socket } from "node:net";
import {
  basic,
  type ClientAttack,
  ended,
  LOGIN_HEADER,
  loops,
  open,
  rest,
  strike,
  type Target,
} from "./target.ts";

/** Attacks by many connections, or slow ones. */
export const connectionAttacks: Readonly<Record<string, ClientAttack>> = {
  "600 connections that send nothing": (target) => crowd(target, 600, () => {}),
  "600 connections that stay idle after a request without login": (target) =>
    crowd(target, 600, (socket) => void socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")),
  "600 connections that stay idle after a request with login": (target) =>
    crowd(
      target,
      600,
      (socket) => void socket.write(`GET /-/healthy HTTP/1.1\r\nhost: x\r\n${LOGIN_HEADER}\r\n`),
    ),
  "300 connections that close their half after a request": (target) =>
    crowd(target, 300, (socket) => void socket.end(`GET / HTTP/1.1\r\nhost: x\r\n${LOGIN_HEADER}\r\n`)),
  "300 connections that close their half in a request": (target) =>
    crowd(
      target,
      300,
      (socket) => void socket.end("GET /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nx"),
    ),
  "300 connections that send their headers slowly": (target) =>
    crowd(target, 300, (socket) => {
      socket.write("GET /metrics HTTP/1.1\r\n");
      const timer = setInterval(() => void (socket.writable && socket.write("x: y\r\n")), 500);
      socket.on("close", () => clearInterval(timer));
    }),
  "30 readers that do not read their metrics": (target) =>
    crowd(target, 30, (socket) => {
      socket.pause();
      socket.write(`GET /metrics HTTP/1.1\r\nhost: x\r\n${LOGIN_HEADER}\r\n`.repeat(8));
    }),
  "60 readers that do not read their metrics": (target) =>
    crowd(target, 60, (socket) => {
      socket.pause();
      socket.write(`GET /metrics HTTP/1.1\r\nhost: x\r\n${LOGIN_HEADER}\r\n`.repeat(8));
    }),
  "connections that are reset": (target) =>
    loops(target, 8, async () => {
      const socket = open(target);
      socket.on("connect", () => socket.write("GET /metrics HTTP/1.1\r\nhost: x\r\n"));
      await rest(20);
      socket.resetAndDestroy();
      target.struck("reset");
    }),
  "requests that are broken off": (target) =>
    loops(target, 8, async () => {
      const socket = open(target);
      socket.write(`GET /metrics HTTP/1.1\r\nhost: x\r\n${LOGIN_HEADER}\r\n`);
      await rest(10 + target.random() * 10);
      socket.destroy();
      target.struck("broken off");
    }),
  "16 loops of the status page": (target) => loops(target, 16, () => get(target, "/")),
  "16 loops of the metrics": (target) => loops(target, 16, () => get(target, "/metrics")),
  "32 loops of wrong passwords": (target) =>
    loops(target, 32, () => strike(target, `GET /metrics HTTP/1.1\r\nhost: x\r\n${wrong(target)}\r\n`)),
  "one user's wrong passwords in a row": (target) =>
    loops(target, 4, () =>
      strike(target, `GET / HTTP/1.1\r\nhost: x\r\n${basic("prometheus", String(target.random()))}\r\n`),
    ),
  "1,000 requests in one packet": (target) =>
    loops(target, 2, () =>
      strike(target, `GET /metrics HTTP/1.1\r\nhost: x\r\n${LOGIN_HEADER}\r\n`.repeat(1000)),
    ),
  "1,000 requests without login in one packet": (target) =>
    loops(target, 2, () => strike(target, "GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n".repeat(1000))),
};

function get(target: Target, path: string): Promise<string> {
  return strike(
    target,
    `GET ${path} HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n${LOGIN_HEADER}\r\n`,
    30_000,
  );
}

function wrong({ random }: Target): string {
  return basic(random() < 0.5 ? "prometheus" : `user${random()}`, "x".repeat(1 + Math.floor(random() * 100)));
}

/** Keeps a number of connections open; a closed one is opened again. */
async function crowd(target: Target, count: number, begin: (socket: Socket) => void): Promise<void> {
  let opened = 0;
  const add = (): void => {
    const socket = open(target);
    target.struck("connection");
    begin(socket);
    socket.on("data", () => {});
    socket.on("close", () => {
      if (!target.signal.aborted) setTimeout(add, 500);
    });
  };
  while (opened < count && !target.signal.aborted) {
    add();
    if (++opened % 50 === 0) await rest(10);
  }
  await ended(target);
}
