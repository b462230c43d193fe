import { Agent } from "node:http";
import { create } from "axios";

/** As its users are told to: one instance, connections kept. */
export function createClient(url, connections) {
  const client = create({
    baseURL: url,
    timeout: 10_000,
    headers: { authorization: "Bearer sk-ai-1", accept: "application/json" },
    httpAgent: new Agent({ keepAlive: true, maxSockets: connections }),
  });
  return async () => (await client.get("/key")).data;
}
