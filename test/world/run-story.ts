import { chance } from "../gateway/random.ts";
import { createAccountKeys } from "./account-keys.ts";
import { createBooks } from "./books.ts";
import { DAY_MS, windowStart } from "./calendar.ts";
import type { Coverage } from "./coverage.ts";
import { createFaultSchedule } from "./fault-schedule.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { endOf, type Story, type StoryEvent } from "./story.ts";
import { timelineOf } from "./timeline.ts";
import type { Violation } from "./world.ts";
import { createWorldClock, type WorldClock } from "./world-clock.ts";
import { createWorldFiles, type WorldFiles } from "./world-files.ts";

/** Runs a story until its end, or until the first violation of an invariant. */
export async function runStory(story: Story, coverage: Coverage): Promise<Violation | undefined> {
  const time = createWorldClock(Date.parse(story.start));
  time.step(story.aheadSeconds * 1000);
  const restore = time.install();
  try {
    return await liveThrough(story, time, coverage);
  } finally {
    restore();
  }
}

async function liveThrough(
  story: Story,
  time: WorldClock,
  coverage: Coverage,
): Promise<Violation | undefined> {
  const keys = createAccountKeys(story);
  const books = createBooks(story.scale, keys);
  const files = createWorldFiles(time.after, time.elapsedMs);
  const faults = createFaultSchedule(story);
  const found: Violation[] = [];
  const [nextQuestion, nextDraw] = [counter(), counter()];
  const random = () => chance(story.seed, nextDraw(), 7);
  const write = (settings: Story["settings"]) => files.write(settings);
  write(story.settings);
  const surroundings = { story, time, books, keys, files, faults, coverage, nextQuestion, random, write };
  const fleet = createFleet(surroundings, found);
  await fleet.start();
  const happen = createFate({ time, files, fleet, coverage });
  let scrapes = 0;
  const isInBothFormats = story.seed % BOTH_STORIES === 0;
  const scrape = async () => {
    coverage.count("scrape");
    await fleet.scrape(isInBothFormats && scrapes++ % BOTH_EACH === 0);
  };
  for (const { at, run } of timelineOf(story, {
    happen,
    scrape,
    heal: (file) => files.setState(file, undefined),
  })) {
    await time.runTo(Math.max(time.elapsedMs(), at));
    await run();
    await time.settle();
    if (found.length > 0) break;
  }
  count(story, time, coverage);
  await fleet.stop();
  return found[0];
}

function counter(): () => number {
  let next = 0;
  return () => next++;
}

interface FateDependencies {
  readonly time: WorldClock;
  readonly files: WorldFiles;
  readonly fleet: Fleet;
  readonly coverage: Coverage;
}

/** Lets the events of a story happen. */
function createFate({ time, files, fleet, coverage }: FateDependencies) {
  return async (event: StoryEvent): Promise<void> => {
    switch (event.do) {
      case "fault":
        return;
      case "reload":
        fleet.reload(event.change);
        return time.settle();
      case "restart":
        coverage.count("restart");
        return fleet.restart();
      case "kill":
        coverage.count("one of several processes is gone");
        return fleet.kill(event.process, event.for * 1000);
      case "resize":
        coverage.count("another number of shards");
        return fleet.resize(event);
      case "step":
        coverage.count("clock step");
        fleet.disturbed(time.elapsedMs());
        return time.step(event.by * 1000);
      case "suspend":
        coverage.count(event.frozen === true ? "suspension, clock frozen" : "suspension");
        // Another suspension may have lasted until now.
        // Everything that is due during the suspension, including scrapes, runs at its end.
        fleet.disturbed(Math.max(endOf(event) * 1000, time.elapsedMs()));
        await time.suspend(Math.max(0, endOf(event) * 1000 - time.elapsedMs()), event.frozen === true);
        return undefined;
      case "file":
        coverage.count(`file ${event.state}`);
        return files.setState(event.file, event.state);
      case "key":
        coverage.count(`key: ${event.change}`);
        return;
      case "rotate":
        coverage.count("secret replaced");
        return files.rotate(
          event.file,
          event.account ?? files.tokens(event.file).at(-1)?.account ?? event.file,
        );
    }
  };
}

function count({ start, settings: { shards } }: Story, time: WorldClock, coverage: Coverage): void {
  coverage.count("simulated minutes", Math.round(time.elapsedMs() / 60_000));
  coverage.count(
    "midnight",
    (windowStart("day", time.trueMs()) - windowStart("day", Date.parse(start))) / DAY_MS,
  );
  coverage.count(shards === undefined ? "story" : "story with shards");
}

/** One story of this many is scraped in both formats, because the exporter then renders both each time. */
const BOTH_STORIES = 8;
const BOTH_EACH = 8;
