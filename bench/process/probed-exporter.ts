import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { imageRecipe } from "../../test/support/image-content.ts";
import { startChild } from "../child.ts";
import { once } from "node:events";
import { createServer } from "node:net";

/** The exporter as deployed, with a measuring module in its process. */
export interface ProbedExporter {
  readonly url: string;
  /** Figures of its process; the stall is the longest one since the last call. */
  probe(): Promise<z.infer<typeof Probed>>;
  close(): Promise<void>;
}

const Probed = z.object({ stallMs: z.number(), rss: z.number() });

/**
 * Starts it with this many keys, each with its own secret, and with the image's Node options; waits until it
 * listens.
 */
export async function startProbedExporter(
  keys: number,
  content: Pick<ConfigFileInput, "gateway" | "schedule">,
): Promise<ProbedExporter> {
  const directory = mkdtempSync(join(tmpdir(), "exporter-bench-"));
  const configFile = join(directory, "config.yaml");
  const indexes = Array.from({ length: keys }, (_, index) => index);
  const named = indexes.map((index) => ({ name: `key-${index}-payments`, api_key_env: `KEY_${index}` }));
  // JSON is YAML.
  writeFileSync(configFile, JSON.stringify({ ...content, keys: named }));
  const port = await freePort();
  const child = await startChild(new URL("../../exporter/main.ts", import.meta.url), {
    parameters: [`--config.file=${configFile}`, `--web.listen-address=127.0.0.1:${port}`, "--log.level=warn"],
    nodeOptions: [...imageRecipe().options, "--import", new URL("probe.ts", import.meta.url).href],
    environment: Object.fromEntries(indexes.map((index) => [`KEY_${index}`, `sk-ai-${index}`])),
  });
  const url = `http://127.0.0.1:${port}`;
  await answering(`${url}/-/healthy`);
  return {
    url,
    probe: async () => Probed.parse(await child.ask({})),
    close: async () => {
      await child.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const PATIENCE_MS = 60_000;

async function answering(url: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await sleep(50);
  }
  throw new Error(`Cannot reach ${url} within ${PATIENCE_MS} ms`);
}

/** Returns a port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("Cannot find a free port");
  return address.port;
}
