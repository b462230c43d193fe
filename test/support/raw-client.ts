import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

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
