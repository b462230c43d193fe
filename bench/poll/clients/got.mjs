import { Agent } from "node:http";
import got from "got";

/** One instance with keep-alive. */
export function createClient(url, connections) {
  const client = got.extend({
    prefixUrl: url,
    timeout: { request: 10_000 },
    headers: { authorization: "Bearer sk-ai-1", accept: "application/json" },
    agent: { http: new Agent({ keepAlive: true, maxSockets: connections }) },
  });
  return () => client.get("key").json();
}
