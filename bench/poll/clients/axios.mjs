import { Agent } from "node:http";
import { create } from "axios";

/** Used as recommended: one instance with keep-alive. */
export function createClient(url, connections) {
  const client = create({
    baseURL: url,
    timeout: 10_000,
    headers: { authorization: "Bearer sk-ai-1", accept: "application/json" },
    httpAgent: new Agent({ keepAlive: true, maxSockets: connections }),
  });
  return async () => (await client.get("/key")).data;
}
