import { type Coverage, createCoverage } from "./coverage.ts";
import { printedStory } from "./printed-story.ts";
import { type ShortStory, wholeStory } from "./story.ts";
import { runStory } from "./run-story.ts";

/**
 * Runs a story and checks every invariant at every scrape. Returns the first violation, with the story as a test that
 * can be pasted; undefined: none.
 */
export async function violationOf(
  short: ShortStory,
  coverage: Coverage = createCoverage(),
): Promise<string | undefined> {
  const story = wholeStory(short);
  const found = await runStory(story, coverage).catch(
    // A scrape that fails, or whose answer cannot be read.
    (error: unknown) => `health: ${error instanceof Error ? error.message : String(error)}`,
  );
  if (found === undefined) return undefined;
  const text =
    typeof found === "string"
      ? found
      : `${found.invariant}: ${found.message} (after ${found.at.toFixed(1)} s)`;
  return `${text}\n${printedStory(story)}`;
}
