import { chance } from "../gateway/random.ts";
import { createAccountKeys } from "./account-keys.ts";
import { createBooks } from "./books.ts";
import { DAY_MS, windowStart, type Coverage, createCoverage } from "./calendar.ts";
import { type JudgedExporter, createJudgedExporter } from "./judged-exporter.ts";
import { createFaultSchedule } from "./questions.ts";
import {
  type Story,
  type StoryEvent,
  endOf,
  lastTroubleEnd,
  ORDINARY,
  type ShortStory,
  wholeStory,
} from "./story.ts";
import type { Judge, Violation, World } from "./world.ts";
import { type WorldClock, createWorldClock } from "./world-clock.ts";
import { type WorldFiles, createWorldFiles } from "./world-files.ts";
import { recoverySeconds } from "./troubles.ts";

/**
 * Runs a story until its end, or until the first violation of an invariant.
 * @param observe makes another judge.
 */
export async function runStory(
  story: Story,
  coverage: Coverage,
  observe?: (world: World) => Judge,
): Promise<Violation | undefined> {
  const time = createWorldClock(Date.parse(story.start));
  time.step(story.aheadSeconds * 1000);
  const restore = time.install();
  try {
    return await liveThrough(story, time, coverage, observe);
  } finally {
    restore();
  }
}

async function liveThrough(
  story: Story,
  time: WorldClock,
  coverage: Coverage,
  observe?: (world: World) => Judge,
): Promise<Violation | undefined> {
  const keys = createAccountKeys(story);
  const books = createBooks(story, keys);
  const files = createWorldFiles(time.after, time.elapsedMs);
  const faults = createFaultSchedule(story);
  let draws = 0;
  const random = () => chance(story.seed, draws++, 7);
  const parts = { story, time, books, keys, files, faults, coverage, random, observe };
  const exporter = await createJudgedExporter(parts);
  await exporter.start();
  const happen = createFate({ time, files, exporter, coverage });
  let scrapes = 0;
  const isInBothFormats = story.seed % BOTH_STORIES === 0;
  const scrape = async () => {
    coverage.count("scrape");
    await exporter.scrape(isInBothFormats && scrapes++ % BOTH_EACH === 0);
  };
  for (const { at, run } of timelineOf(story, {
    happen,
    scrape,
    heal: (file) => files.setState(file, undefined),
  })) {
    await time.runTo(Math.max(time.elapsedMs(), at));
    await run();
    await time.settle();
    if (exporter.violation()) break;
  }
  count(story, time, coverage);
  await exporter.stop();
  if (!exporter.violation()) await exporter.command();
  return exporter.violation();
}

interface FateDependencies {
  readonly time: WorldClock;
  readonly files: WorldFiles;
  readonly exporter: JudgedExporter;
  readonly coverage: Coverage;
}

/** Lets the events of a story happen. */
function createFate({ time, files, exporter, coverage }: FateDependencies) {
  return async (event: StoryEvent): Promise<void> => {
    switch (event.do) {
      case "fault":
        return;
      case "reload":
        exporter.reload(event.change);
        return time.settle();
      case "restart":
        coverage.count("restart");
        return exporter.restart();
      case "step":
        coverage.count("clock step");
        exporter.disturbed(time.elapsedMs());
        return time.step(event.by * 1000);
      case "suspend":
        coverage.count(event.frozen === true ? "suspension, clock frozen" : "suspension");
        // Another suspension may have lasted until now.
        // Everything that is due during the suspension, including scrapes, runs at its end.
        exporter.disturbed(Math.max(endOf(event) * 1000, time.elapsedMs()));
        await time.suspend(Math.max(0, endOf(event) * 1000 - time.elapsedMs()), event.frozen === true);
        return undefined;
      case "file":
        coverage.count(`file ${event.state}`);
        return files.setState(event.file, event.state);
      case "key":
        coverage.count(`key: ${event.change}`);
        return;
      case "limit":
        coverage.count(`limit: ${Object.keys(event.limit).join(", ")} changed`);
        return;
      case "metric":
        coverage.count("new metric");
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

function count({ start }: Story, time: WorldClock, coverage: Coverage): void {
  coverage.count("simulated minutes", Math.round(time.elapsedMs() / 60_000));
  coverage.count(
    "midnight",
    (windowStart("day", time.trueMs()) - windowStart("day", Date.parse(start))) / DAY_MS,
  );
  coverage.count("story");
}

/** One story of this many is scraped in both formats, because the exporter then renders both each time. */
const BOTH_STORIES = 8;
const BOTH_EACH = 8;

/** Something that happens at a time. */
interface Step {
  /** Elapsed milliseconds. */
  readonly at: number;
  readonly run: () => Promise<void> | void;
}

interface Doing {
  readonly happen: (event: StoryEvent) => Promise<void>;
  readonly scrape: () => Promise<void>;
  readonly heal: (file: number) => void;
}

/** Milliseconds before and after every midnight at which a scrape may see something wrong. */
const AROUND_MIDNIGHT = [-1000, 400, 5000, 60_000, 89_000, 92_000, 100_000, 150_000, 200_000];
/** The same after each event. */
const AFTER_EVENT = [200, 2000, 65_000];

/** Scrapes are rarer in hours in which little happens. */
const CALM_FACTOR = 4;

/** Everything that happens in a story, in order: its events, and the scrapes. */
function timelineOf(story: Story, { happen, scrape, heal }: Doing): readonly Step[] {
  const lengthMs = Math.max(story.minutes * 60, lastTroubleEnd(story) + recoverySeconds(story)) * 1000;
  const startMs = Date.parse(story.start);
  const scrapes: number[] = [];
  const busyMs = Math.min(story.minutes, 60) * 60_000;
  for (let at = 500; at < lengthMs; at += story.scrapeSeconds * (at < busyMs ? 1000 : 1000 * CALM_FACTOR))
    scrapes.push(at + Math.floor(chance(story.seed, at, 5) * 900));
  for (let midnight = Math.ceil(startMs / DAY_MS) * DAY_MS; midnight < startMs + lengthMs; midnight += DAY_MS)
    scrapes.push(...AROUND_MIDNIGHT.map((ms) => midnight + ms - startMs));
  for (const event of story.events) scrapes.push(...AFTER_EVENT.map((ms) => event.at * 1000 + ms));
  const steps: Step[] = [
    ...story.events.map((event) => ({ at: event.at * 1000, run: () => happen(event) })),
    ...story.events.flatMap((event) =>
      event.do === "file" ? [{ at: (event.at + event.for) * 1000, run: () => heal(event.file) }] : [],
    ),
    ...scrapes.filter((at) => at >= 0 && at <= lengthMs).map((at) => ({ at, run: scrape })),
  ];
  return steps.toSorted((one, other) => one.at - other.at);
}

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
