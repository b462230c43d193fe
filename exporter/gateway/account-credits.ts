import type { SecretSource } from "../secrets/secret.ts";
import type { AccountCredits } from "./account.ts";
import type { Send } from "./calls.ts";
import { GatewayError, unlessMissing } from "./errors.ts";
import { keysRequest, parseKeyRows, CREDITS_REQUEST, parseCredits } from "./wire/account-keys.ts";
import { readSecret } from "./http.ts";

/** Reads what the account has bought and used. An ordinary key may get two zeros, which mean nothing. */
export async function fetchCredits(
  send: Send,
  source: SecretSource,
): Promise<AccountCredits | "unproved" | "unsupported"> {
  const action = "read the credits of the account";
  // One secret for both requests, because a file may change meanwhile.
  const read = await readSecret({ secret: source, action });
  const secret = { ...source, read: () => read };
  const body = await unlessMissing(send({ ...CREDITS_REQUEST, action, secret }));
  if (body === undefined) return "unsupported";
  const credits = parseCredits(body, action);
  if (credits.boughtCredits !== 0 || credits.usedCredits !== 0) return credits;
  const isManagement = await isManagementKey(send, secret);
  if (isManagement === undefined) return "unsupported";
  return isManagement ? credits : "unproved";
}

/**
 * Only a management key may list keys.
 * @returns undefined if the service lists no keys to anyone.
 */
async function isManagementKey(send: Send, secret: SecretSource): Promise<boolean | undefined> {
  const action = "find out whether the management key is one";
  try {
    const body = await unlessMissing(send({ ...keysRequest(undefined, 0, false), action, secret }));
    if (body === undefined) return undefined;
    parseKeyRows(body, action);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 403) return false;
    throw error;
  }
}
