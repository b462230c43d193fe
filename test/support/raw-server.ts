import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

import { listenOnLoopback } from "./loopback.ts";

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
