import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { z } from "zod";

import { startChild } from "./child.ts";

/** A real Alertmanager on a free port of 127.0.0.1. */
export interface Alertmanager {
  readonly url: string;
  /** The alerts that it holds, whether or not a receiver was notified. */
  alerts(): Promise<readonly HeldAlert[]>;
  stop(): Promise<void>;
}

export type HeldAlert = z.output<typeof HeldAlert>;

/** `suppressed`: silenced or inhibited. */
const HeldAlert = z.object({
  labels: z.record(z.string(), z.string()),
  status: z.object({
    state: z.enum(["unprocessed", "active", "suppressed"]),
    inhibitedBy: z.array(z.string()),
  }),
  fingerprint: z.string(),
});

export interface AlertmanagerOptions {
  /** Path of the program, from `describeWithTools(["alertmanager"], …)`. */
  readonly binary: string;
  readonly config: object;
}

export async function startAlertmanager({ binary, config }: AlertmanagerOptions): Promise<Alertmanager> {
  const directory = mkdtempSync(join(tmpdir(), "alertmanager-test-"));
  const configFile = join(directory, "alertmanager.yaml");
  // JSON is YAML.
  writeFileSync(configFile, JSON.stringify(config, undefined, 2));
  const child = await startChild({
    command: binary,
    arguments: [
      `--config.file=${configFile}`,
      `--storage.path=${join(directory, "data")}`,
      "--web.listen-address=127.0.0.1:0",
      // No cluster: it would listen on every address and wait for peers.
      "--cluster.listen-address=",
    ],
    address: /msg="Listening on".* address=(127\.0\.0\.1:\d+)/,
    healthPath: "/-/ready",
  });
  return {
    url: child.url,
    alerts: async () => {
      const response = await fetch(`${child.url}/api/v2/alerts`);
      return z.array(HeldAlert).parse(await response.json());
    },
    stop: async () => {
      await child.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
