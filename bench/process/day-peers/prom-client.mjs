import { readdirSync, readFileSync } from "node:fs";
import { Agent, createServer } from "node:http";
import { create } from "axios";
import { Gauge, register } from "prom-client";

// The usual exporter: gauges of prom-client, and all keys asked by axios each minute. Parameters: the API root, and the folder of keys.
const [, , baseURL = "", folder = ""] = process.argv;
const client = create({
  baseURL,
  timeout: 10_000,
  httpAgent: new Agent({ keepAlive: true, maxSockets: 64 }),
});
const fields = ["limit", "limit_remaining", "usage", "usage_daily", "usage_weekly", "usage_monthly"];
const gauges = fields.map(
  (name) => new Gauge({ name: `key_${name}_credits`, help: name, labelNames: ["key"] }),
);
const keys = readdirSync(folder).map((name) => ({
  name,
  secret: readFileSync(`${folder}/${name}`, "utf8").trim(),
}));

async function poll() {
  const waiting = [...keys];
  const worker = async () => {
    for (let key = waiting.pop(); key; key = waiting.pop()) {
      const answer = await client
        .get("/key", { headers: { authorization: `Bearer ${key.secret}` } })
        .catch(() => {});
      for (const [index, field] of fields.entries()) {
        const amount = answer?.data.data[field];
        if (typeof amount === "number") gauges[index]?.set({ key: key.name }, amount);
      }
    }
  };
  await Promise.all(Array.from({ length: 64 }, worker));
}

const server = createServer((_, response) => {
  void register.metrics().then((text) => response.end(text));
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
void poll();
setInterval(() => void poll(), 60_000);
