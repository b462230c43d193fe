import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A server of bytes, for answers that are not HTTP. Runs until the test has finished; the result is its URL. */
export async function startRawServer(answer: (socket: Socket, request: string) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", (bytes) => answer(socket, bytes.toString()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Cannot find the server's port");
  return `http://127.0.0.1:${address.port}`;
}
