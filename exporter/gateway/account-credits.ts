import type { Secret, SecretSource } from "../config/secret.ts";
import type { AccountCredits } from "./account.ts";
import type { Send } from "./calls.ts";
import { GatewayError } from "./errors.ts";
import { type ManagementProofs, UnprovedError } from "./management-proofs.ts";
import { keysRequest, parseKeyRows } from "./wire/account-keys.ts";
import { CREDITS_REQUEST, parseCredits, parseManagement } from "./wire/credits.ts";
import { KEY_REQUEST } from "./wire/key.ts";

/**
 * Reads what the account has bought and used, with a secret that is proved to be a management key; undefined: it is not
 * one. An ordinary key may get two zeros.
 */
export async function askProvedCredits(
  send: Send,
  source: SecretSource,
  proofs: ManagementProofs,
): Promise<AccountCredits | undefined> {
  const guarded = proofs.guarded(source);
  try {
    return await askAccountCredits(send, guarded);
  } catch (error) {
    if (!(error instanceof GatewayError && error.cause instanceof UnprovedError)) throw error;
  }
  // One secret for the whole proof, because a file may change meanwhile.
  let secret: Secret | undefined;
  const pinned = { ...source, read: async () => (secret ??= await source.read()) };
  if (!(await isManagementKey(send, pinned))) return undefined;
  proofs.add(await pinned.read());
  return askAccountCredits(send, guarded);
}

async function askAccountCredits(send: Send, secret: SecretSource): Promise<AccountCredits> {
  const action = "read the credits of the account";
  return parseCredits(await send({ ...CREDITS_REQUEST, action, secret }), action);
}

/** Whether the service says that the secret is a management key, or, where it does not, lets the key list keys. */
async function isManagementKey(send: Send, secret: SecretSource): Promise<boolean> {
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
