import type { AccountKeys } from "./account-keys.ts";
import type { Books } from "./books.ts";
import type { Story } from "./story.ts";
import type { WorldClock } from "./world-clock.ts";
import type { WorldFiles } from "./world-files.ts";

/** A request, and what its answer follows from. */
export interface AnswerContext {
  readonly path: string;
  readonly body: string;
  readonly story: Pick<Story, "account">;
  readonly books: Books;
  readonly files: Pick<WorldFiles, "accountOfHash" | "listedHash">;
  readonly keys: AccountKeys;
  readonly time: Pick<WorldClock, "trueMs">;
}
