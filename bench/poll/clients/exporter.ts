import { systemClock } from "../../../exporter/time/clock.ts";
import { environmentSecret } from "../../../exporter/config/secret-source.ts";
import { createGateway } from "../../../exporter/gateway/gateway.ts";
import { createPace } from "../../../exporter/schedule/pace.ts";

/** The exporter's own client: rate limiter, secret, deadline, retries, removal of the secret, and validation against the contract. */
export function createClient(url: string, connections: number): () => Promise<unknown> {
  const pace = createPace(systemClock, {
    perMinute: { key: 0, analytics: 0, transcription: 0 },
    intervalMs: () => 60_000,
    connections,
    maxPauseMs: 60_000,
  });
  const gateway = createGateway(
    {
      baseUrl: url,
      timeoutMs: 10_000,
      deadlineMs: 30_000,
      requestsPerMinute: 0,
      connections,
      maxPauseMs: 60_000,
      maxBodyBytes: 1 << 24,
    },
    { clock: systemClock, version: "0.0.0", random: Math.random, admit: pace.admit, onAnswer: () => {} },
  );
  const secret = environmentSecret("KEY", { KEY: "sk-ai-1" });
  const { signal } = new AbortController();
  let count = 0;
  return () => gateway.readKey(`key-${count++ % 10_000}`, secret, signal);
}
