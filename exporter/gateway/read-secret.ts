import type { Secret, SecretSource } from "../secrets/secret.ts";
import { GatewayError } from "./errors.ts";

interface SecretUse {
  readonly secret: SecretSource;
  /** For messages: `read key "billing"`. */
  readonly action: string;
}

/** @throws GatewayError `secret_unreadable`; reading has a deadline of its own. */
export async function readSecret({ secret, action }: SecretUse): Promise<Secret> {
  try {
    return await secret.read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new GatewayError("secret_unreadable", `Cannot ${action}: ${why}`, { cause: error });
  }
}
