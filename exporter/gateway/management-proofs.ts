import { createHash } from "node:crypto";
import type { Secret, SecretSource } from "../config/secret.ts";
import type { Clock } from "../time/clock.ts";
import { DAY_MS } from "../time/window.ts";

/** Remembers which secrets have been proved to be management keys, by their hash, for a day. */
export interface ManagementProofs {
  /** A source that gives a secret only if it is proved, so that no request can be sent with another one. */
  guarded(source: SecretSource): SecretSource;
  add(secret: Secret): void;
}

/** The secret is not proved to be a management key. */
export class UnprovedError extends Error {
  override readonly name = "UnprovedError";
}

export function createManagementProofs(clock: Pick<Clock, "monotonic">): ManagementProofs {
  const proofs = new Map<string, number>();
  return {
    guarded: (source) => ({
      ...source,
      read: async () => {
        const secret = await source.read();
        const provedAt = proofs.get(hashOf(secret));
        if (provedAt !== undefined && clock.monotonic() - provedAt < DAY_MS) return secret;
        throw new UnprovedError(`${source.origin} is not proved to hold a management key`);
      },
    }),
    add: (secret) => {
      const now = clock.monotonic();
      for (const [hash, provedAt] of proofs) if (now - provedAt >= DAY_MS) proofs.delete(hash);
      proofs.set(hashOf(secret), now);
    },
  };
}

function hashOf(secret: Secret): string {
  return createHash("sha256").update(secret.reveal()).digest("hex");
}
