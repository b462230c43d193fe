import type { Socket } from "node:net";
import type { JsonObject } from "../books.ts";

/** The part of a socket that an attack uses. */
export interface Sink {
  readonly isOpen: () => boolean;
  /** False: wait until it is drained. */
  write(bytes: string | Uint8Array): boolean;
  /** Resolves when the socket takes more, or is closed. */
  drained(): Promise<void>;
  end(): void;
  reset(): void;
  /** Reads nothing any more. */
  pause(): void;
}

export type Operation = "key" | "query" | "listing" | "credits" | "capabilities" | "transcription";

/** A request that an attack answers. */
export interface Exchange {
  readonly socket: Sink;
  /** Everything but `GET /key` is attacked with the analytics. */
  readonly lane: "keys" | "analytics";
  readonly operation: Operation;
  /** Where the requested page of a list begins; 0 for other operations. */
  readonly offset: number;
  /** The credential of the request. */
  readonly secret: string;
  /** Every secret that the exporter holds. */
  readonly secrets: readonly string[];
  readonly right: JsonObject;
  readonly random: () => number;
  /** A server that the exporter must not contact: `127.0.0.1:40123`. */
  readonly elsewhere: string;
}

export type Answer = (exchange: Exchange) => Promise<void> | void;

/** An attack of the gateway. */
export interface GatewayKind {
  readonly name: string;
  readonly lanes: readonly Exchange["lane"][];
  readonly answer: Answer;
  /** How many requests get it at once, because each costs the attacker as well. The others get the right answer. */
  readonly atOnce: number;
  /** It strikes before the request, on half of the connections. */
  readonly onConnect?: boolean;
}

/** Writes, and waits while the socket is full. False once it is closed. */
export async function write(socket: Sink, bytes: string | Uint8Array): Promise<boolean> {
  if (!socket.isOpen()) return false;
  if (!socket.write(bytes)) await socket.drained();
  return socket.isOpen();
}

/** Writes a piece many times. False if the socket was closed meanwhile. */
export async function repeat(socket: Sink, piece: string | Uint8Array, times: number): Promise<boolean> {
  for (let count = 0; count < times; count++) {
    if (!(await write(socket, piece))) return false;
    if (count % 64 === 63) await pause(0);
  }
  return socket.isOpen();
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The head of an answer: status line and headers, with their end. */
export function head(status: number | string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const line = typeof status === "number" ? `${status} ${status < 400 ? "OK" : "Error"}` : status;
  return `HTTP/1.1 ${line}\r\n${lines.join("")}\r\n`;
}

/** A whole answer with a JSON body. */
export async function answerJson(
  socket: Sink,
  body: string | Uint8Array,
  status: number | string = 200,
  headers: Readonly<Record<string, string | number>> = {},
): Promise<void> {
  const length = Buffer.byteLength(body);
  await write(
    socket,
    head(status, { "content-type": "application/json", "content-length": length, ...headers }),
  );
  await write(socket, body);
}

export function sinkOf(socket: Socket): Sink {
  socket.setNoDelay(true);
  return {
    isOpen: () => socket.writable,
    write: (bytes) => socket.write(bytes),
    drained: () => drained(socket),
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    pause: () => void socket.pause(),
  };
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
}
