import type { Clock } from "./clock.ts";
import type { Ledger } from "./ledger.ts";
import type { Switches } from "./switches.ts";
import type { Key } from "./entities.ts";
import type { Manners } from "./transcription/manner.ts";
import type { TranscriptionRecord } from "./transcription/recordings.ts";
import type { World } from "./world.ts";
import { isUsable } from "./limits.ts";
import { Refusal } from "./refusal.ts";

/** The parts of the gateway that an operation can use. */
export type Context = {
  readonly clock: Clock;
  readonly world: World;
  readonly ledger: Ledger;
  readonly switches: Switches;
  readonly manners: Manners;
  readonly transcriptions: TranscriptionRecord[];
  readonly counters: Counters;
};

/** The state that the gateway keeps between requests. */
export type Counters = {
  readonly callsPerMinute: Map<string, number>;
  readonly freeCallsPerMinute: Map<string, number>;
  analyticsAnswers: number;
};

export type Call = {
  readonly key: Key;
  /** Below the root: /keys/0123…. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly body: string;
  /** The raw body, for content that is not text. */
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
};

/** The key of a request's token, usable or not; null if the token is missing or unknown (section 5). */
export function keyOf(world: World, authorization: string | undefined): Key | null {
  const match = /^Bearer +(\S+)$/iu.exec(authorization ?? "");
  return world.keysByToken.get(match?.[1] ?? "") ?? null;
}

/** Refuses a missing, unknown, disabled or expired key with 401. */
export function requireUsable(key: Key | null, at: number): Key {
  if (key === null || key.keyless || key.deletedAt !== null)
    throw new Refusal(401, "Missing or unknown API key");
  if (key.disabled) throw new Refusal(401, "API key is disabled");
  if (!isUsable(key, at)) throw new Refusal(401, "API key is expired");
  return key;
}

/** Refuses any other valid key with 403 (section 5 rule 2). */
export function requireManagement(key: Key): void {
  if (!key.management) throw new Refusal(403, "Only management keys can do this");
}
