import type { z } from "zod";
import type { SpendReport } from "../../exporter/reports/report.ts";
import type { statusSchema } from "../../exporter/status/json/schema.ts";
import type { AccountKeys } from "./account-keys.ts";
import type { Books } from "./books.ts";
import type { Exposition } from "./exposition.ts";
import type { Question, Questions } from "./questions.ts";
import type { Settings, Story } from "./story.ts";
import type { WorldBackfill } from "./world-backfill.ts";
import type { WorldClock } from "./world-clock.ts";
import type { WorldFiles } from "./world-files.ts";

/** What is true in a world, for the invariants. */
export interface World {
  readonly story: Story;
  readonly time: WorldClock;
  readonly books: Books;
  readonly keys: AccountKeys;
  readonly files: WorldFiles;
  readonly questions: Questions;
  /** What the exporter's present configuration is, and since when (elapsed milliseconds). */
  readonly settings: () => Settings;
  readonly settingsSince: () => number;
  /** Since when a key is configured with its present gateway and file, elapsed milliseconds. */
  readonly configuredSince: (key: string) => number;
  /** When a reload ended the showing of a key's fragment, and so withdrew its values; elapsed milliseconds. */
  readonly maskedAt: (key: string) => number;
  /** Whether a reload has loaded its configuration but has not returned yet. */
  readonly isApplying: () => boolean;
  /** When the clock was stepped, or the exporter resumed, last; elapsed milliseconds. */
  readonly disturbedAt: () => number;
  /** When the exporter was started last, elapsed milliseconds. */
  readonly startedAt: () => number;
  /** How often it was started; twice at the same time after a suspension. */
  readonly starts: () => number;
  /** The same on the exporter's monotonic clock. */
  readonly startedMonotonic: () => number;
}

export type StatusJson = z.infer<typeof statusSchema>;

/** What one scrape sees. */
export interface Scrape {
  /** Elapsed milliseconds. */
  readonly at: number;
  /** True time, epoch milliseconds. */
  readonly atMs: number;
  readonly text: string;
  /** The same in the other format, in some scrapes. */
  readonly openMetrics: string | undefined;
  readonly exposition: Exposition;
  /** The same as JSON, in some scrapes. */
  readonly status: StatusJson | undefined;
  readonly isReady: boolean;
  readonly isHealthy: boolean;
}

/** Judges a world while it runs. Each result is a violation. */
export interface Judge {
  scraped?(scrape: Scrape): readonly string[];
  asked?(question: Question): readonly string[];
  /** Judges the report of the running month, which is made at the end. */
  reported?(report: SpendReport): readonly string[];
  /** Judges what a backfill at the end writes. */
  backfilled?(past: WorldBackfill): readonly string[];
}

export interface Violation {
  readonly invariant: string;
  /** Seconds after the start. */
  readonly at: number;
  readonly message: string;
}
