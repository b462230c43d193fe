import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { ROOT } from "../support/repository.ts";

/** Settings that differ from their defaults; objects, lists and flags as values. */
export type Changes = Readonly<Record<string, unknown>>;

/** The minimal configuration of the exporter. */
export const LEAST_EXPORTER = { gateway: { base_url: "https://gateway.example/api/v1" } };

/** The minimal settings for a deployment to Kubernetes. */
export const LEAST: Changes = {
  image: "registry.example/aigateway-exporter:0.1.0",
  exporter: LEAST_EXPORTER,
  keys: { billing: "sk-test-billing" },
};

/** The settings of Pulumi.yaml. */
export const declared = z
  .object({
    config: z.record(
      z.string(),
      z.strictObject({
        default: z.unknown(),
        description: z.string(),
      }),
    ),
  })
  .parse(parse(readFileSync(join(ROOT, "Pulumi.yaml"), "utf8"))).config;

/** Settings as the engine passes them to a program: strings, with the defaults of Pulumi.yaml. */
export function settingTexts(changes: Changes = {}): Record<string, string> {
  const defaults = Object.entries(declared).map(([name, { default: value }]) => [name, value] as const);
  return Object.fromEntries(
    [...defaults, ...Object.entries(changes)].map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}
