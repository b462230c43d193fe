import { environmentSecret } from "../../../exporter/secrets/secret-source.ts";
import { createGateway } from "../../../exporter/gateway/gateway.ts";
import type { GatewayClient } from "../../../exporter/gateway/port.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { createDispatcher, type Release, createRunPermits } from "../../../exporter/schedule/dispatcher.ts";
import { createThrottling } from "../../../exporter/schedule/throttling.ts";
import { testGatewayConfig } from "../../../test/support/test-config.ts";
import { systemClock } from "../../../exporter/time/clock.ts";

/** The exporter's own way: permits, secret, deadline, retries, JSON without the secret, and the contract's shape. */
export function createClient(url: string, connections: number): () => Promise<unknown> {
  const gateway = createGateway(testGatewayConfig({ baseUrl: url, connections }), {
    clock: systemClock,
    version: "0.0.0",
    random: Math.random,
    onAnswer: () => {},
  });
  const secret = environmentSecret("KEY", { KEY: "sk-ai-1" });
  const { signal } = new AbortController();
  const perMinute = { key: 0, analytics: 0, account: 0, transcription: 0 };
  const throttling = createThrottling(systemClock, () => ({ maxPauseMs: 60_000, perMinute }));
  const dispatcher = createDispatcher(systemClock, { perMinute: () => 0, connections: () => connections });
  const waiting: ((release: Release) => void)[] = [];
  dispatcher.serve({
    openAt: (endpoint) => (endpoint === "key" && waiting.length > 0 ? systemClock.monotonic() : undefined),
    begin: (_endpoint, release) => waiting.shift()?.(release),
  });
  let count = 0;

  async function read(name: string, release: Release): Promise<unknown> {
    const id = targetId("key", name);
    const allowed = { release, lastsMs: Number.POSITIVE_INFINITY };
    const permits = createRunPermits("key", id, allowed, { clock: systemClock, dispatcher, throttling });
    const client: GatewayClient = gateway.clientFor({ endpoint: "key", name, permits, signal });
    try {
      return await client.currentKey(secret);
    } finally {
      permits.close();
    }
  }

  return async () => {
    const permit = new Promise<Release>((resolve) => waiting.push(resolve));
    dispatcher.wake();
    return read(`key-${count++ % 10_000}`, await permit);
  };
}
