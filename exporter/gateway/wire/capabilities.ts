import { z } from "zod";
import type { Capabilities } from "../account.ts";
import { optional, parseBody } from "./fields.ts";

/** `GET /analytics/meta`. */
export const CAPABILITIES_REQUEST = {
  method: "GET",
  path: "/analytics/meta",
} as const;

/**
 * The names that queries may use. Entries without a name, or with one of more than 100
 * characters, are ignored, because only names are needed.
 * @throws GatewayError `bad_response` when the body has no list of metrics or dimensions.
 */
export function parseCapabilities(body: unknown, action: string): Capabilities {
  const { metrics, dimensions, granularities } = parseBody(CapabilitiesBody, body, action).data;
  return {
    metrics: metrics.flatMap(({ name, is_rate: isRate }) => (name === undefined ? [] : [{ name, isRate }])),
    dimensions: namesOf(dimensions),
    granularities: namesOf(granularities ?? []),
  };
}

function namesOf(entries: readonly { readonly name: string | undefined }[]): readonly string[] {
  return entries.flatMap(({ name }) => name ?? []);
}

/** No service has longer names; comparing long ones takes time. */
const nameOf = z.string().max(100);

const named = z.object({ name: optional(nameOf) }).catch({ name: undefined });
const metric = z
  .object({ name: optional(nameOf), is_rate: optional(z.boolean()) })
  .catch({ name: undefined, is_rate: undefined });

const CapabilitiesBody = z.object({
  data: z.object({
    metrics: z.array(metric),
    dimensions: z.array(named),
    granularities: optional(z.array(named)),
  }),
});
