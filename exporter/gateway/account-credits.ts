import type { SecretSource } from "../config/secret.ts";
import type { AccountCredits } from "./account.ts";
import type { Send } from "./calls.ts";
import { GatewayError } from "./errors.ts";
import { keysRequest, parseKeyRows } from "./wire/account-keys.ts";
import { CREDITS_REQUEST, parseCredits, parseManagement } from "./wire/credits.ts";
import { KEY_REQUEST } from "./wire/key.ts";

/** Reads what the account has bought and used. The secret must be proved to be a management key. */
export async function askAccountCredits(send: Send, secret: SecretSource): Promise<AccountCredits> {
  const action = "read the credits of the account";
  return parseCredits(await send({ ...CREDITS_REQUEST, action, secret }), action);
}

/**
 * Whether the secret is a management key: the service says so, or, where it does not, it lets the key list keys. Two
 * requests at most; the answer holds as long as the secret.
 */
export async function isManagementKey(send: Send, secret: SecretSource): Promise<boolean> {
  const action = "find out whether the management key is one";
  const stated = parseManagement(await send({ ...KEY_REQUEST, action, secret }), action);
  if (stated !== undefined) return stated;
  try {
    parseKeyRows(await send({ ...keysRequest(undefined, 0), action, secret }), action);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
}
