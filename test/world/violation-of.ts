import { type Coverage, createCoverage } from "./coverage.ts";
import { runStory } from "./run-story.ts";
import { ORDINARY, type ShortStory, type Story, wholeStory } from "./story.ts";

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
    (error: unknown) => ({ invariant: "health", message: String(error), at: 0 }),
  );
  return (
    found && `${found.invariant}: ${found.message} (after ${found.at.toFixed(1)} s)\n${printedStory(story)}`
  );
}

/** A story as a test that can be pasted: only what differs from the ordinary world. */
function printedStory({ settings, ...story }: Story): string {
  const { settings: ordinarySettings, ...ordinary } = ORDINARY;
  const all = { ...differences(story, ordinary), settings: differences(settings, ordinarySettings) };
  return `test("…", () => expect(violationOf(${JSON.stringify(all)})).resolves.toBeUndefined());`;
}

function differences(value: object, ordinary: object): object {
  const known = new Map<string, unknown>(Object.entries(ordinary));
  return Object.fromEntries(
    Object.entries(value).filter(([name, one]) => JSON.stringify(one) !== JSON.stringify(known.get(name))),
  );
}
