import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { startExporter } from "../support/exporter-process.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { ROOT } from "../support/repository.ts";
import { seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 120_000 });

const MiB = 1024 * 1024;
const BODY = `{"data":{"usage":1,"data":[],"metadata":{"truncated":false},"more":"${"x".repeat(16 * MiB - 70)}"}}`;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/** The memory limit of the container is 512 MiB. */
const MOST_MIB = 192;

const highestMiB = (pid: number) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

test.each([
  [
    "16 MiB in chunks of one byte",
    `transfer-encoding: chunked\r\n\r\n${BODY.replaceAll(/./g, "1\r\n$&\r\n")}0\r\n\r\n`,
  ],
  ["16 MiB without a length", `connection: close\r\n\r\n${BODY}`],
  ["16 MiB", `content-length: ${BODY.length}\r\n\r\n${BODY}`],
])("an answer of %s does not exhaust the memory", async (_, text) => {
  const answer = Buffer.from(HEAD + text);
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(answer));
  });
  const { address } = await listenOnLoopback(server);
  onTestFinished(() => void server.close());
  const files = writeExporterFiles({
    gatewayUrl: `http://${address}/api/v1`,
    tokens: new Map(["a", "b", "c", "d"].map((name) => [name, `sk-${name}`])),
    managementToken: "sk-management",
    content: {
      gateway: { base_url: `http://${address}/api/v1`, requests_per_minute: 0 },
      schedule: { keys: "* * * * * *", analytics: "* * * * * *" },
    },
  });
  onTestFinished(() => files.remove());
  const program = ["--max-old-space-size=192", join(ROOT, "exporter/main.ts")];
  const exporter = await startExporter([`--config.file=${files.configFile}`], files.environment, program);
  const scrape = async () => seriesOfText(await (await fetch(`${exporter.url}/metrics`)).text());
  await until(
    "many polls",
    scrape,
    (seen) =>
      (seen.get('aigateway_exporter_polls_total{collector="key"}') ?? 0) > 8 &&
      (seen.get('aigateway_exporter_polls_total{collector="analytics"}') ?? 0) > 3,
  );
  const highest = highestMiB(exporter.pid);
  expect((await exporter.stop()).code).toBe(0);
  expect(highest).toBeLessThan(MOST_MIB);
});
