import { createServer, type Server } from "node:net";

import { afterAll, beforeAll, expect, test } from "vitest";

import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter } from "../support/exporter-process.ts";

const PROBE = { name: "ears", key: "payer", model: "acme/whisper", schedule: "0 0 1 1 *" };

let gateway: Gateway;
let stranger: Server;
let strangerUrl: string;
const heard: string[] = [];

beforeAll(async () => {
  gateway = createGateway();
  gateway.addKey({ name: "payer" });
  await gateway.start();
  // This server records everything that it receives.
  stranger = createServer((socket) => {
    heard.push("a connection");
    socket.on("data", (data) => heard.push(String(data))).on("error", () => {});
  });
  strangerUrl = await new Promise<string>((resolve) => {
    stranger.listen(0, "127.0.0.1", () => {
      const address = stranger.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    });
  });
});

afterAll(async () => {
  await gateway.stop();
  stranger.close();
});

test.each([
  ["as they are", 200, {}],
  ["with 301", 301, {}],
  ["with 302", 302, {}],
  ["with 303", 303, {}],
  ["with 307", 307, {}],
  ["with 308", 308, {}],
  [
    "beside a proxy in the environment",
    200,
    { HTTP_PROXY: "", http_proxy: "", ALL_PROXY: "", NODE_USE_ENV_PROXY: "1" },
  ],
])("keys are sent to the gateway only: answers %s", { timeout: 180_000 }, async (_name, status, proxies) => {
  if (status !== 200) gateway.faults.add({ kind: "redirect", location: `${strangerUrl}/api/v1/key`, status });
  const files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: new Map([...gateway.tokens].slice(0, 1)),
    managementToken: gateway.managementToken,
    content: {
      keys: [{ name: "payer", api_key_env: "KEY_0" }],
      probes: [PROBE],
      probe_spend: { max_cost_per_day: 1, max_cost_per_probe: 0.01 },
    },
  });
  const proxied = Object.fromEntries(
    Object.entries(proxies).map(([name, value]) => [name, value === "" ? strangerUrl : value]),
  );
  const environment = { ...files.environment, ...proxied };
  const flags = [`--config.file=${files.configFile}`];
  const polled = await runExporter(["--once", ...flags], environment);
  const probed = await runExporter(["probe", "ears", "--force", ...flags], environment);
  gateway.faults.clear();
  files.remove();
  expect(heard).toEqual([]);
  const isRight = status === 200;
  expect(polled.stdout).toContain(`aigateway_key_up{key="payer"} ${isRight ? 1 : 0}\n`);
  const queries = [...polled.stdout.matchAll(/^aigateway_analytics_up\{query="\w+"\} (\d)$/gm)];
  expect(queries.map(([, up]) => up)).toEqual([1, 1, 1, 1].map(() => (isRight ? "1" : "0")));
  expect(probed.code).toBe(isRight ? 0 : 1);
});
