import { chance } from "../gateway/random.ts";
import { type Books, createBooks } from "./books.ts";
import { DAY_MS } from "./calendar.ts";
import type { Coverage } from "./coverage.ts";
import { type Exposition, readExposition } from "./exposition.ts";
import { createFaultSchedule } from "./fault-schedule.ts";
import { createQuestions, type Question, type Questions } from "./questions.ts";
import { recoverySeconds } from "./recovery.ts";
import { endOf, lastTroubleEnd, type Settings, type Story, type StoryEvent } from "./story.ts";
import { createWorldClock, type WorldClock } from "./world-clock.ts";
import { startWorldExporter, type WorldExporter } from "./world-exporter.ts";
import { createWorldFiles, type WorldFiles } from "./world-files.ts";
import { createWorldGateway } from "./world-gateway.ts";

/** What is true in a world, for the invariants. */
export interface World {
  readonly story: Story;
  readonly time: WorldClock;
  readonly books: Books;
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
  /** The same on the exporter's monotonic clock. */
  readonly startedMonotonic: () => number;
}

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
  readonly isReady: boolean;
  readonly isHealthy: boolean;
}

/** Judges a world while it runs. Each result is a violation. */
export interface Judge {
  scraped?(scrape: Scrape): readonly string[];
  asked?(question: Question): readonly string[];
}

export interface Violation {
  readonly invariant: string;
  /** Seconds after the start. */
  readonly at: number;
  readonly message: string;
}

/** Lives through a story until its end, or until the first violation. */
export async function runStory(
  story: Story,
  judges: Readonly<Record<string, (world: World) => Judge>>,
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
  judges: Readonly<Record<string, (world: World) => Judge>>,
  coverage: Coverage,
): Promise<Violation | undefined> {
  let violation: Violation | undefined;
  const state = newState(story.settings);
  const books = createBooks(story.scale);
  const files = createWorldFiles(time.after, time.elapsedMs);
  const questions = createQuestions();
  const world: World = {
    story,
    time,
    books,
    files,
    questions,
    settings: () => state.present,
    settingsSince: () => state.since,
    configuredSince: (key) => state.configured.get(key) ?? 0,
    maskedAt: (key) => state.masked.get(key) ?? 0,
    isApplying: () => state.applying > 0,
    startedAt: () => state.startedAt,
    disturbedAt: () => state.disturbedAt,
    startedMonotonic: () => state.startedMonotonic,
  };
  const named = Object.entries(judges).map(([invariant, create]) => ({ invariant, judge: create(world) }));
  const judge = (verdict: (one: Judge) => readonly string[] | undefined) => {
    for (const { invariant, judge: one } of named) {
      const [message] = violation ? [] : (verdict(one) ?? []);
      if (message !== undefined) violation = { invariant, at: time.elapsedMs() / 1000, message };
    }
  };
  files.write(state.written);
  const connect = createWorldGateway({
    story,
    time,
    books,
    files,
    questions,
    faults: createFaultSchedule(story),
    coverage,
    costMicros: () => (state.present.probes?.perRun ?? 0) * 1e6,
    onQuestion: (question) => judge((one) => one.asked?.(question)),
  });
  let draws = 0;
  let scrapes = 0;
  const random = () => chance(story.seed, draws++, 7);
  const exporter = await startWorldExporter({ time, files, connect, random });
  const happen = createHappenings({ time, files, coverage, exporter, state });
  const plan = planOf(story, { happen, scrape, heal: (file) => files.setState(file, undefined) });
  async function scrape(): Promise<void> {
    coverage.count("scrape");
    const seen = await look(exporter, time, scrapes++ % OPEN_METRICS_EACH === 0);
    judge((one) => one.scraped?.(seen));
  }
  for (const { at, run } of plan) {
    await time.runTo(Math.max(time.elapsedMs(), at));
    await run();
    await time.settle();
    if (violation) break;
  }
  coverage.count("simulated minutes", Math.round(time.elapsedMs() / 60_000));
  coverage.count(
    "midnight",
    Math.floor(time.trueMs() / DAY_MS) - Math.floor(Date.parse(story.start) / DAY_MS),
  );
  coverage.count("story");
  await exporter.stop();
  return violation;
}

/** The world apart from its books: what is configured, and since when. */
interface State {
  written: Settings;
  present: Settings;
  since: number;
  startedAt: number;
  startedMonotonic: number;
  disturbedAt: number;
  applying: number;
  configured: ReadonlyMap<string, number>;
  readonly masked: Map<string, number>;
  reloads: Promise<unknown>;
}

function newState(settings: Settings): State {
  return {
    written: settings,
    present: settings,
    since: 0,
    startedAt: 0,
    startedMonotonic: 0,
    disturbedAt: 0,
    applying: 0,
    configured: new Map(),
    masked: new Map(),
    reloads: Promise.resolve(),
  };
}

interface HappeningDependencies {
  readonly time: WorldClock;
  readonly files: WorldFiles;
  readonly coverage: Coverage;
  readonly exporter: WorldExporter;
  readonly state: State;
}

/** Returns the function that makes an event of the story happen. */
function createHappenings({ time, files, coverage, exporter, state }: HappeningDependencies) {
  async function reload(): Promise<void> {
    const next = state.written;
    state.applying++;
    const isValid = await exporter.reload(() => {
      for (const name of maskedKeys(state.present, next)) state.masked.set(name, time.elapsedMs());
      state.configured = configuredSince(state.present, next, state.configured, time.elapsedMs());
      state.present = next;
      state.since = time.elapsedMs();
    });
    state.applying--;
    coverage.count(isValid ? "reload" : "reload of an invalid configuration");
  }

  async function happen(event: StoryEvent): Promise<void> {
    switch (event.do) {
      case "fault":
        return;
      case "reload":
        state.written = { ...state.written, ...event.change };
        files.write(state.written);
        state.reloads = state.reloads.then(reload);
        return time.settle();
      case "restart":
        coverage.count("restart");
        await state.reloads;
        state.startedAt = time.elapsedMs();
        state.startedMonotonic = time.clock.monotonic();
        return exporter.restart();
      case "step":
        coverage.count("clock step");
        state.disturbedAt = time.elapsedMs();
        return time.step(event.by * 1000);
      case "suspend":
        coverage.count(event.frozen === true ? "suspension, clock frozen" : "suspension");
        // Another suspension may have lasted until now.
        await time.suspend(Math.max(0, endOf(event) * 1000 - time.elapsedMs()), event.frozen === true);
        state.disturbedAt = time.elapsedMs();
        return;
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
  }

  return happen;
}

/** A key that keeps its gateway and its file keeps its time. */
function configuredSince(
  former: Settings,
  next: Settings,
  since: ReadonlyMap<string, number>,
  at: number,
): ReadonlyMap<string, number> {
  const files = new Map(former.keys.map(({ name, file }) => [name, file]));
  const isKept = (name: string, file: number) => former.gateway === next.gateway && files.get(name) === file;
  return new Map(next.keys.map(({ name, file }) => [name, isKept(name, file) ? (since.get(name) ?? 0) : at]));
}

/** The keys that showed the fragment of their secret before. */
function maskedKeys(former: Settings, next: Settings): readonly string[] {
  const revealing = new Set(former.keys.flatMap(({ name, label }) => (label === true ? [name] : [])));
  return next.keys.flatMap(({ name, label }) => (label !== true && revealing.has(name) ? [name] : []));
}

const OPEN_METRICS = "application/openmetrics-text;version=1.0.0";
const OPEN_METRICS_EACH = 25;

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

function planOf(story: Story, { happen, scrape, heal }: Doing): readonly Step[] {
  const lengthMs = Math.max(story.minutes * 60, lastTroubleEnd(story) + recoverySeconds(story)) * 1000;
  const startMs = Date.parse(story.start);
  const scrapes: number[] = [];
  for (let at = 500; at < lengthMs; at += story.scrapeSeconds * 1000)
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
