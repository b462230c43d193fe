import { join } from "node:path";

import { startChild } from "./child.ts";
import type { ExporterFiles } from "./exporter-files.ts";
import type { FastTime } from "./fast-time.ts";

/** The exporter in fast time, in its own process. */
export interface AppProcess {
  readonly url: string;
  /** `127.0.0.1:40123`. */
  readonly address: string;
  readonly pid: number;
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts an exporter in fast time and waits until it is ready. Request timeouts follow the machine's clock, but the
 * deadline does not, so it must be long.
 */
export async function startFastProcess(
  { configFile, environment }: Pick<ExporterFiles, "configFile" | "environment">,
  time: FastTime,
): Promise<AppProcess> {
  const child = await startChild({
    command: process.execPath,
    arguments: [join(import.meta.dirname, "app-program.ts"), configFile, JSON.stringify(time)],
    environment,
    address: /^http:\/\/(127\.0\.0\.1:\d+)$/m,
    healthPath: "/-/ready",
  });
  return { ...child, address: new URL(child.url).host };
}
