import { chance } from "../gateway/random.ts";
import { createBooks } from "./books.ts";
import { DAY_MS, windowStart } from "./calendar.ts";
import type { Coverage } from "./coverage.ts";
import { createExporterState, type ExporterState } from "./exporter-state.ts";
import { readExposition } from "./exposition.ts";
import { createFaultSchedule } from "./fault-schedule.ts";
import { createQuestions } from "./questions.ts";
import { endOf, type Story, type StoryEvent } from "./story.ts";
import { timelineOf } from "./timeline.ts";
import type { Judge, Scrape, Violation, World } from "./world.ts";
import { createWorldClock, type WorldClock } from "./world-clock.ts";
import { startWorldExporter, type WorldExporter } from "./world-exporter.ts";
import { createWorldFiles, type WorldFiles } from "./world-files.ts";
import { createWorldGateway } from "./world-gateway.ts";

/** Judges by the names of the invariants. */
export type Judges = Readonly<Record<string, (world: World) => Judge>>;

/** Lives through a story until its end, or until the first violation. */
export async function runStory(
  story: Story,
  judges: Judges,
  coverage: Coverage,
): Promise<Violation | undefined> {
  const time = createWorldClock(Date.parse(story.start));
  time.step(story.aheadSeconds * 1000);
  const restore = time.install();
  try {
    return await liveThrough(story, time, judges, coverage);
  } finally {
    restore();
  }
}

async function liveThrough(
  story: Story,
  time: WorldClock,
  judges: Judges,
  coverage: Coverage,
): Promise<Violation | undefined> {
  const state = createExporterState(story.settings, time);
  const books = createBooks(story.scale);
  const files = createWorldFiles(time.after, time.elapsedMs);
  const questions = createQuestions();
  const court = createCourt({ ...state, story, time, books, files, questions }, judges);
  files.write(story.settings);
  const connect = createWorldGateway({
    story,
    time,
    books,
    files,
    questions,
    faults: createFaultSchedule(story),
    coverage,
    costMicros: () => (state.settings().probes?.perRun ?? 0) * 1e6,
    onQuestion: (question) => court.judge((one) => one.asked?.(question)),
  });
  let draws = 0;
  const random = () => chance(story.seed, draws++, 7);
  const exporter = await startWorldExporter({ time, files, connect, random });
  const happen = createFate({ story, time, files, state, exporter, coverage });
  let scrapes = 0;
  const isInBothFormats = story.seed % BOTH_STORIES === 0;
  const scrape = async () => {
    coverage.count("scrape");
    const isBoth = isInBothFormats && scrapes++ % BOTH_EACH === 0;
    const seen = await look(exporter, time, isBoth);
    court.judge((one) => one.scraped?.(seen));
  };
  for (const { at, run } of timelineOf(story, {
    happen,
    scrape,
    heal: (file) => files.setState(file, undefined),
  })) {
    await time.runTo(Math.max(time.elapsedMs(), at));
    await run();
    await time.settle();
    if (court.violation()) break;
  }
  count(story, time, coverage);
  await exporter.stop();
  return court.violation();
}

/** Asks every judge until one finds a violation. */
function createCourt(world: World, judges: Judges) {
  let violation: Violation | undefined;
  const named = Object.entries(judges).map(([invariant, create]) => ({ invariant, judge: create(world) }));
  return {
    violation: () => violation,
    judge: (verdict: (one: Judge) => readonly string[] | undefined): void => {
      for (const { invariant, judge } of named) {
        const [message] = violation ? [] : (verdict(judge) ?? []);
        if (message !== undefined) violation = { invariant, at: world.time.elapsedMs() / 1000, message };
      }
    },
  };
}

interface FateDependencies {
  readonly story: Story;
  readonly time: WorldClock;
  readonly files: WorldFiles;
  readonly state: ExporterState;
  readonly exporter: WorldExporter;
  readonly coverage: Coverage;
}

/** Lets the events of a story happen. */
function createFate({ story, time, files, state, exporter, coverage }: FateDependencies) {
  let written = story.settings;
  let reloads: Promise<unknown> = Promise.resolve();

  async function reload(): Promise<void> {
    const next = written;
    const end = state.beginReload();
    const isValid = await exporter.reload(() => state.loaded(next));
    end();
    coverage.count(isValid ? "reload" : "reload of an invalid configuration");
  }

  return async (event: StoryEvent): Promise<void> => {
    switch (event.do) {
      case "fault":
        return;
      case "reload":
        written = { ...written, ...event.change };
        files.write(written);
        // Not awaited: a file that hangs holds it up until time passes.
        reloads = reloads.then(reload);
        return time.settle();
      case "restart":
        coverage.count("restart");
        state.restarted();
        return exporter.restart();
      case "step":
        coverage.count("clock step");
        state.disturbed();
        return time.step(event.by * 1000);
      case "suspend":
        coverage.count(event.frozen === true ? "suspension, clock frozen" : "suspension");
        // Another suspension may have lasted until now.
        await time.suspend(Math.max(0, endOf(event) * 1000 - time.elapsedMs()), event.frozen === true);
        return state.disturbed();
      case "file":
        coverage.count(`file ${event.state}`);
        return files.setState(event.file, event.state);
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

const OPEN_METRICS = "application/openmetrics-text;version=1.0.0";
/** One story of this many is scraped in both formats, because the exporter then renders both each time. */
const BOTH_STORIES = 8;
const BOTH_EACH = 8;

async function look(exporter: WorldExporter, time: WorldClock, inBoth: boolean): Promise<Scrape> {
  const { status, text } = await exporter.get("/metrics");
  if (status !== 200) throw new Error(`The scrape is answered with ${status}`);
  const [ready, healthy] = [await exporter.get("/-/ready"), await exporter.get("/-/healthy")];
  return {
    at: time.elapsedMs(),
    atMs: time.trueMs(),
    text,
    openMetrics: inBoth ? (await exporter.get("/metrics", OPEN_METRICS)).text : undefined,
    exposition: readExposition(text),
    isReady: ready.status === 200,
    isHealthy: healthy.status === 200,
  };
}
