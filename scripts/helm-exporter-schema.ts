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

const SAFE_URL = {
  properties: { base_url: { pattern: "^(?:https://|http://(?:localhost|127\\.|\\[::1\\]))[^@?#]*$" } },
};
const ALLOWED_URL = {
  properties: { base_url: { pattern: "^https?://[^@?#]+$" }, allow_http: { const: true } },
  required: ["allow_http"],
};

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
