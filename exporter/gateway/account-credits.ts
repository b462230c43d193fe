import type { SecretSource, Secret } from "../secrets/secret.ts";
import type { AccountCredits } from "./account.ts";
import type { Send } from "./calls.ts";
import { GatewayError, unlessMissing } from "./errors.ts";
import { keysRequest, parseKeyRows, CREDITS_REQUEST, parseCredits } from "./wire/account-keys.ts";
import { createHash } from "node:crypto";
import type { Clock } from "../time/clock.ts";
import { DAY_MS } from "../time/window.ts";
import { readSecret } from "./http.ts";

/**
 * Reads what the account has bought and used, with a secret that is proved to be a management key, because an ordinary
 * one may get two zeros.
 */
export async function fetchProvedCredits(
  send: Send,
  source: SecretSource,
  proofs: ManagementProofs,
): Promise<AccountCredits | "unproved" | "unsupported"> {
  // One secret for the proof and the credits, because a file may change meanwhile.
  const secret = await readSecret({ secret: source, action: CREDITS_ACTION });
  const pinned = { ...source, read: () => secret };
  if (!proofs.has(secret)) {
    const isManagement = await isManagementKey(send, pinned);
    if (isManagement === undefined) return "unsupported";
    if (!isManagement) return "unproved";
    proofs.add(secret);
  }
  return fetchCredits(send, pinned);
}

const CREDITS_ACTION = "read the credits of the account";

async function fetchCredits(send: Send, secret: SecretSource): Promise<AccountCredits | "unsupported"> {
  const action = CREDITS_ACTION;
  const body = await unlessMissing(send({ ...CREDITS_REQUEST, action, secret }));
  return body === undefined ? "unsupported" : parseCredits(body, action);
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

export type ManagementProofs = ReturnType<typeof createManagementProofs>;

/** Remembers the secret that was last proved to be a management key, by its hash, for a day. */
export function createManagementProofs(clock: Pick<Clock, "monotonic">) {
  let proved = { hash: "", at: 0 };
  return {
    has: (secret: Secret) => proved.hash === hashOf(secret) && clock.monotonic() - proved.at < DAY_MS,
    add: (secret: Secret) => {
      proved = { hash: hashOf(secret), at: clock.monotonic() };
    },
  };
}

function hashOf(secret: Secret): string {
  return createHash("sha256").update(secret.reveal()).digest("hex");
}
