import { z } from "zod";
import { configFile } from "../exporter/config/schema.ts";

/** A duration of Prometheus. An empty one is refused by its length. */
export const DURATION =
  "^(?:[0-9]+y)?(?:[0-9]+w)?(?:[0-9]+d)?(?:[0-9]+h)?(?:[0-9]+m)?(?:[0-9]+s)?(?:[0-9]+ms)?$";

/** Of texts, by their type in the documents. */
const PATTERNS: ReadonlyMap<unknown, string> = new Map([
  ["duration", DURATION],
  ["variable", "^[A-Za-z_][A-Za-z0-9_]*$"],
]);

const HTTP = "[Hh][Tt][Tt][Pp]";
const HOST = String.raw`(?:[^\s\[\]/\\:@?#%|<>"{}^\x60]+|\[[0-9A-Fa-f:.]+\])`;
const PORT = "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
const REST = String.raw`(?::${PORT})?(?:/[^\s@?#]*)?$`;
const LOCAL = String.raw`(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])`;

const SAFE_URL = {
  properties: { base_url: { pattern: `^(?:${HTTP}[Ss]://${HOST}|${HTTP}://${LOCAL})${REST}` } },
};
const ALLOWED_URL = {
  properties: { base_url: { pattern: `^${HTTP}[Ss]?://${HOST}${REST}` }, allow_http: { const: true } },
  required: ["allow_http"],
};

/** The URL of a proxy as the exporter reads it, which may lack the scheme; empty: none. */
export const PROXY = String.raw`^\s*(?:(?:${HTTP}[Ss]?://)?${HOST}(?::${PORT})?/?)?\s*$`;

/**
 * The exporter's own schema for the value `exporter`, so that `helm lint` refuses a wrong configuration. Most rules
 * between fields are the exporter's alone.
 */
export function exporterSchema(): object {
  const { $schema: _draft, ...schema } = z.toJSONSchema(configFile, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    // Descriptions are in the documents.
    metadata: z.registry<object>(),
    override: ({ zodSchema, jsonSchema }) => {
      delete jsonSchema.default;
      const pattern = PATTERNS.get(z.globalRegistry.get(zodSchema)?.["type"]);
      if (pattern !== undefined && jsonSchema.type === "string") jsonSchema.pattern = pattern;
    },
  });
  // The value shards sets its number.
  const { gateway, shards: _shards, ...others } = schema.properties ?? {};
  const checked = typeof gateway === "object" ? { ...gateway, anyOf: [SAFE_URL, ALLOWED_URL] } : {};
  return { ...schema, properties: { gateway: checked, ...others } };
}
