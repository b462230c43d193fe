import type { Secret, SecretSource } from "../config/secret.ts";
import type { AccountCredits } from "./account.ts";
import type { Send } from "./calls.ts";
import { GatewayError } from "./errors.ts";
import { type ManagementProofs, UnprovedError } from "./management-proofs.ts";
import { keysRequest, parseKeyRows } from "./wire/account-keys.ts";
import { CREDITS_REQUEST, parseCredits } from "./wire/credits.ts";

/**
 * Reads what the account has bought and used, with a secret that is proved to be a management key, because an ordinary
 * one may get two zeros.
 */
export async function askProvedCredits(
  send: Send,
  source: SecretSource,
  proofs: ManagementProofs,
): Promise<AccountCredits | "unproved" | "unsupported"> {
  const guarded = proofs.guarded(source);
  try {
    return await askAccountCredits(send, guarded);
  } catch (error) {
    if (!(error instanceof GatewayError && error.cause instanceof UnprovedError)) throw error;
  }
  // One secret for the whole proof, because a file may change meanwhile.
  let secret: Secret | undefined;
  const pinned = { ...source, read: async () => (secret ??= await source.read()) };
  const isManagement = await isManagementKey(send, pinned);
  if (isManagement === undefined) return "unsupported";
  if (!isManagement) return "unproved";
  proofs.add(await pinned.read());
  return askAccountCredits(send, guarded);
}

async function askAccountCredits(send: Send, secret: SecretSource): Promise<AccountCredits | "unsupported"> {
  const action = "read the credits of the account";
  try {
    return parseCredits(await send({ ...CREDITS_REQUEST, action, secret }), action);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return "unsupported";
    throw error;
  }
}

/**
 * Only a management key may list keys.
 * @returns undefined if the service lists no keys to anyone.
 */
async function isManagementKey(send: Send, secret: SecretSource): Promise<boolean | undefined> {
  const action = "find out whether the management key is one";
  try {
    parseKeyRows(await send({ ...keysRequest(undefined, 0), action, secret }), action);
    return true;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.status === 403) return false;
    if (error.status === 404) return undefined;
    throw error;
  }
}
