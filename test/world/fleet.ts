import { chance } from "../gateway/random.ts";
import { createCourt } from "./court.ts";
import { createExporterState } from "./exporter-state.ts";
import { readExposition } from "./exposition.ts";
import { JUDGES, UNION_JUDGES } from "./invariants/judges.ts";
import { createMember, type Member, type Surroundings } from "./member.ts";
import type { Question } from "./questions.ts";
import type { Resize, Settings } from "./story.ts";
import { unionQuestions, unionText } from "./union.ts";
import type { Scrape, Violation, World } from "./world.ts";
import type { WorldExporter } from "./world-exporter.ts";

/** The exporters of a story: one, or those that divide the keys. */
export interface Fleet {
  /** Starts as many as the configuration wants. */
  start(): Promise<void>;
  reload(change: Partial<Settings>): void;
  /** Replaces each by one without memory. */
  restart(): Promise<void>;
  /** One is gone for some milliseconds. */
  kill(index: number, lastsMs: number): Promise<void>;
  resize(resize: Resize): Promise<void>;
  /** Scrapes each, and judges what it shows, and what all show together. */
  scrape(inBoth: boolean): Promise<void>;
  /** The clock was stepped, or the processes resumed. */
  disturbed(at: number): void;
  stop(): Promise<void>;
}

interface FleetDependencies extends Omit<Surroundings, "written"> {
  readonly write: (settings: Settings) => void;
}

export function createFleet(dependencies: FleetDependencies, found: Violation[]): Fleet {
  const { story, time, write } = dependencies;
  const isDivided = story.settings.shards !== undefined;
  let written = story.settings;
  let members: readonly Member[] = [];
  /** Elapsed milliseconds; a resize goes on until then. */
  let resizedUntil = 0;
  const state = createExporterState(written, time);
  const running = () => members.filter(({ exporter }) => exporter !== undefined);
  const isBusy = () => running().some((member) => isBehind(member, written));
  const together: World = {
    ...dependencies,
    ...state,
    startedAt: () => 0,
    settingsSince: () =>
      Math.max(resizedUntil, state.settingsSince(), ...members.map((one) => latestChange(one, time))),
    isApplying: isBusy,
    questions: unionQuestions(running),
  };
  const union = createCourt(together, isDivided ? UNION_JUDGES : {}, found);

  function memberAt(index: number): Member {
    return createMember(index, {
      ...dependencies,
      written: () => written,
      courtOf: (world) => createCourt(world, JUDGES, found, isDivided ? `process ${index}: ` : ""),
      onQuestion: (question: Question) => union.judge((one) => one.asked?.(question)),
    });
  }

  function change(next: Settings): void {
    written = next;
    write(next);
    state.loaded(next);
  }

  async function add(index: number): Promise<void> {
    const member = memberAt(index);
    members = [...members, member];
    await member.begin();
  }

  async function remove(gone: readonly Member[]): Promise<void> {
    members = members.filter((member) => !gone.includes(member));
    await Promise.all(gone.map((member) => member.end()));
  }

  async function resize({ at, for: seconds, to, abrupt }: Resize): Promise<void> {
    // Invalid settings are not in use, and so would not be those with another number.
    if (!isDivided || isBusy() || time.elapsedMs() < resizedUntil) return;
    const endMs = Math.max(0, 1000 * (at + seconds) - time.elapsedMs());
    change({ ...written, shards: to });
    const gone = members.filter(({ index }) => index >= to);
    // Until the others have polled the keys.
    const lingersMs = gone.length > 0 && !abrupt ? firstPollsMs(written) : 0;
    resizedUntil = time.elapsedMs() + endMs + lingersMs;
    if (abrupt) await remove(gone);
    else time.after(endMs + lingersMs, () => void remove(gone));
    const someTime = (index: number) => chance(story.seed, at + index, 11) * endMs;
    for (const member of members) time.after(someTime(member.index), () => void member.reload());
    for (let index = 0; index < to; index++) {
      if (!members.some((member) => member.index === index && !gone.includes(member)))
        time.after(someTime(index), () => void add(index).catch(() => {}));
    }
  }

  return {
    start: async () => {
      for (let index = 0; index < (written.shards ?? 1); index++) await add(index);
    },
    reload: (changes) => {
      change({ ...written, ...changes });
      // Not awaited: a file that hangs holds it up until time passes.
      for (const member of members) void member.reload();
    },
    restart: async () => {
      for (const member of running()) {
        await member.end();
        await member.begin();
      }
    },
    kill: async (index, lastsMs) => {
      const member = running().find((each) => each.index === index);
      if (!member) return;
      await member.end();
      time.after(lastsMs, () => {
        if (members.includes(member)) void member.begin().then(() => member.reload());
      });
    },
    resize,
    scrape: async (inBoth) => {
      const scrapes = await scrapeEach(running(), time, inBoth);
      const [first] = scrapes;
      // While some have another configuration than others, nobody can know what all must show.
      if (!isDivided || !first || isBusy()) return;
      const text = unionText(scrapes.map((scrape) => scrape.text));
      union.judge((one) => one.scraped?.({ ...first, text, exposition: readExposition(text) }));
    },
    disturbed: (at) => {
      for (const one of [state, ...members.map((member) => member.state)]) one.disturbed(at);
    },
    stop: () => remove(members),
  };
}

/** Whether a process has not applied the configuration; the number of shards aside. */
function isBehind({ loaded, world }: Member, written: Settings): boolean {
  return (
    world.isApplying() ||
    JSON.stringify({ ...loaded, shards: 0 }) !== JSON.stringify({ ...written, shards: 0 })
  );
}

/** How long a shard needs at most for its first polls. */
function firstPollsMs({ keys, pace, shards = 1 }: Settings): number {
  return 60_000 + (pace === 0 ? 0 : (keys.length * 60_000) / Math.floor(pace / shards));
}

async function scrapeEach(
  members: readonly Member[],
  time: FleetDependencies["time"],
  inBoth: boolean,
): Promise<readonly Scrape[]> {
  const scrapes: Scrape[] = [];
  for (const { exporter, court } of members) {
    if (!exporter) continue;
    const seen = await look(exporter, time, inBoth);
    court.judge((one) => one.scraped?.(seen));
    scrapes.push(seen);
  }
  return scrapes;
}

/** Elapsed milliseconds: now, if the process is gone. */
function latestChange({ exporter, world }: Member, time: FleetDependencies["time"]): number {
  return exporter ? Math.max(world.settingsSince(), world.startedAt()) : time.elapsedMs();
}

const OPEN_METRICS = "application/openmetrics-text;version=1.0.0";

async function look(
  exporter: WorldExporter,
  time: FleetDependencies["time"],
  inBoth: boolean,
): Promise<Scrape> {
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
