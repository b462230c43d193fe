import { join } from "node:path";

import { startChild, type ChildServer } from "./child.ts";
import type { ExporterFiles } from "./exporter-files.ts";
import type { FastTime } from "./fast-time.ts";

/**
 * Starts an exporter in a process of its own that lives in a fast time. Time-outs of requests follow the machine's clock, but
 * the deadline does not: make it long.
 */
export function startFastExporter(files: ExporterFiles, time: FastTime): Promise<ChildServer> {
  return startChild({
    command: process.execPath,
    arguments: [PROGRAM, files.configFile, JSON.stringify(time)],
    environment: files.environment,
    address: /Listening on http:\/\/(127\.0\.0\.1:\d+)/,
    healthPath: "/-/ready",
  });
}

const PROGRAM = join(import.meta.dirname, "fast-exporter-program.ts");
