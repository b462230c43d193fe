import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { imageRecipe } from "../../test/support/image-content.ts";
import { freePorts } from "../../test/support/loopback.ts";
import { until } from "../../test/support/until.ts";
import { startChild } from "../child.ts";

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
  const [port = 0] = await freePorts(1);
  const child = await startChild(new URL("../../exporter/main.ts", import.meta.url), {
    parameters: [`--config.file=${configFile}`, `--web.listen-address=127.0.0.1:${port}`, "--log.level=warn"],
    nodeOptions: [...imageRecipe().options, "--import", new URL("probe.ts", import.meta.url).href],
    environment: Object.fromEntries(indexes.map((index) => [`KEY_${index}`, `sk-ai-${index}`])),
  });
  const url = `http://127.0.0.1:${port}`;
  await until(
    "an answer",
    () =>
      fetch(`${url}/-/healthy`).then(
        ({ ok }) => ok,
        () => false,
      ),
    (isHealthy) => isHealthy,
  );
  return {
    url,
    probe: async () => Probed.parse(await child.ask({})),
    close: async () => {
      await child.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
