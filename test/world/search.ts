import * as fc from "fast-check";
import { type Coverage, createCoverage } from "./coverage.ts";
import { worldArbitrary } from "./fleet-arbitrary.ts";
import { printedStory } from "./printed-story.ts";
import type { Story } from "./story.ts";
import { violationOf } from "./violation-of.ts";

/** The shortest story that breaks an invariant. */
export interface Finding {
  readonly seed: number;
  readonly story: Story;
  readonly message: string;
  readonly shrinks: number;
}

/**
 * Runs the story of a seed, with so many shards if given. When it breaks an invariant, shrinks it within
 * `shrinkMs` of real time.
 */
export async function searchSeed(
  seed: number,
  coverage: Coverage,
  shrinkMs: number,
  shards?: number,
): Promise<Finding | undefined> {
  // Shrinking repeats the same story, which is no coverage.
  let counted = coverage;
  let best: { story: Story; message: string } | undefined;
  // The limit of fast-check would let the story in progress continue beside the next one.
  let endAt = Infinity;
  const property = fc.asyncProperty(worldArbitrary(shards), async (story) => {
    if (performance.now() > endAt) return;
    const message = await violationOf(story, counted);
    if (message === undefined) return;
    counted = createCoverage();
    endAt = Math.min(endAt, performance.now() + shrinkMs);
    best = { story, message };
    throw new Error(message);
  });
  const details = await fc.check(property, { seed, numRuns: 1 });
  return best && { seed, ...best, shrinks: details.numShrinks };
}

/** A finding as text: the test that can be pasted, and what it breaks. */
export function findingText({ seed, story, message, shrinks }: Finding): string {
  return `seed ${seed}, shrunk ${shrinks} times to ${story.events.length} events\n${message.split("\n")[0]}\n${printedStory(story)}\n`;
}
