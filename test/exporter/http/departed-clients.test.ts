import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import type { WebConfig, WebSource } from "../../../exporter/config/web/web-config.ts";
import { createServer } from "../../../exporter/http/server.ts";

const OPEN: WebConfig = { tls: undefined, headers: new Map(), users: new Map() };
const PACKET = "GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n".repeat(1000);
const PACKETS = 30;
/** Without the bound, the requests of these packets take 45 MB. */
const MOST_BYTES = 10_000_000;

test("a client that leaves is forgotten, although its access is still being checked", async () => {
  let isStarted = false;
  /** Held, as Node holds those of a file that is being read. */
  const checks: ((config: WebConfig) => void)[] = [];
  const errors: unknown[] = [];
  const web: WebSource = {
    isSecure: false,
    isUpToDate: () => true,
    current: () => (isStarted ? new Promise((resolve) => checks.push(resolve)) : Promise.resolve(OPEN)),
  };
  const listen = [{ host: "127.0.0.1", port: 0 }];
  const server = createServer(listen, [], (error) => errors.push(error), { web });
  await server.start();
  isStarted = true;
  onTestFinished(() => server.stop());
  await strike(server.url());
  const before = heapBytes();
  for (let packet = 0; packet < PACKETS; packet++) await strike(server.url());
  expect(checks.length).toBeGreaterThan(PACKETS);
  expect(heapBytes() - before).toBeLessThan(MOST_BYTES);
  expect(errors).toEqual([]);
});

/** The server closes the connection, because so many requests have no answer. */
function strike(url: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    // A reset is as good as an end.
    socket.on("error", () => {}).on("close", () => setTimeout(resolve, 10));
    socket.resume().write(PACKET);
  });
}

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
}
