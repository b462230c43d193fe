import type { Clock } from "./clock.ts";
import type { Ledger } from "./ledger.ts";
import type { Switches } from "./switches.ts";
import type { Key } from "./entities.ts";
import type { Manners } from "./transcription/manner.ts";
import type { TranscriptionRecord } from "./transcription/record.ts";
import type { Recordings } from "./transcription/recordings.ts";
import type { World } from "./world.ts";

/** The parts of the gateway that an operation can use. */
export type Context = {
  readonly clock: Clock;
  readonly world: World;
  readonly ledger: Ledger;
  readonly switches: Switches;
  readonly manners: Manners;
  readonly recordings: Recordings;
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
