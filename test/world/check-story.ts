import { type Coverage, createCoverage } from "./coverage.ts";
import { JUDGES } from "./invariants/judges.ts";
import { printedStory } from "./printed-story.ts";
import { type ShortStory, wholeStory } from "./story.ts";
import { runStory } from "./run-story.ts";

/**
 * Lives through a story and checks every invariant at every scrape.
 * @throws Error with the violation, and with the story as a test that can be pasted.
 */
export async function checkStory(short: ShortStory, coverage: Coverage = createCoverage()): Promise<void> {
  const story = wholeStory(short);
  const violation = await runStory(story, JUDGES, coverage);
  if (!violation) return;
  const { invariant, at, message } = violation;
  throw new Error(`${invariant}: ${message} (after ${at.toFixed(1)} s)\n${printedStory(story)}`);
}
