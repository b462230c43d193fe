import type { SecretSource } from "../config/secret.ts";
import type { Capabilities } from "./account.ts";
import type { Send } from "./calls.ts";
import { GatewayError } from "./errors.ts";
import { CAPABILITIES_REQUEST, parseCapabilities } from "./wire/capabilities.ts";

/** Asks which metrics and dimensions queries may name; undefined: the service has no such operation. */
export async function askCapabilities(send: Send, secret: SecretSource): Promise<Capabilities | undefined> {
  const action = "read the capabilities of the analytics";
  try {
    return parseCapabilities(await send({ ...CAPABILITIES_REQUEST, action, secret }), action);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return undefined;
    throw error;
  }
}
