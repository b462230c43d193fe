import { once } from "node:events";
import { connect, type Socket, createServer } from "node:net";
import { onTestFinished } from "vitest";
import { listenOnLoopback } from "./loopback.ts";

/** A raw connection, for requests that no HTTP client would send. */
export interface RawClient {
  readonly socket: Socket;
  /** Waits until the other side closes the connection, and returns everything that it sent. */
  rest(): Promise<string>;
}

export async function connectRaw(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => resolve()).on("error", () => {});
  });
  await once(socket, "connect");
  onTestFinished(() => void socket.destroy());
  return {
    socket,
    rest: async () => {
      socket.on("data", (chunk: Buffer) => chunks.push(chunk)).resume();
      await closed;
      return Buffer.concat(chunks).toString();
    },
  };
}

/**
 * A server that sends raw bytes, for answers that are not HTTP. It runs until the test has finished. Returns its URL.
 */
export async function startRawServer(answer: (socket: Socket, request: string) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", (bytes) => answer(socket, bytes.toString()));
  });
  const { address } = await listenOnLoopback(server);
  onTestFinished(() => void server.close());
  return `http://${address}`;
}
