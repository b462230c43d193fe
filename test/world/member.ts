import type { AccountKeys } from "./account-keys.ts";
import type { Books } from "./books.ts";
import type { Court } from "./court.ts";
import type { Coverage } from "./coverage.ts";
import { createExporterState, type ExporterState } from "./exporter-state.ts";
import type { FaultSchedule } from "./fault-schedule.ts";
import { partOfSettings } from "./part-of-settings.ts";
import { createQuestions, type Question } from "./questions.ts";
import type { Settings, Story, StoryEvent } from "./story.ts";
import type { World } from "./world.ts";
import type { WorldClock } from "./world-clock.ts";
import { createWorldExporter, type WorldExporter } from "./world-exporter.ts";
import type { WorldFiles } from "./world-files.ts";
import { createWorldGateway } from "./world-gateway.ts";

/** What the processes of a world share. */
export interface Surroundings {
  readonly story: Story;
  readonly time: WorldClock;
  readonly books: Books;
  readonly keys: AccountKeys;
  readonly files: WorldFiles;
  readonly faults: FaultSchedule;
  readonly coverage: Coverage;
  readonly nextQuestion: () => number;
  readonly random: () => number;
  /** What the configuration file contains. */
  readonly written: () => Settings;
}

/** One exporter of a world. What it has to do is judged as if it were alone. */
export interface Member {
  readonly index: number;
  readonly world: World;
  readonly state: ExporterState;
  readonly court: Court;
  /** Undefined: it is not running. */
  exporter: WorldExporter | undefined;
  /** The whole configuration that it has loaded. */
  loaded: Settings;
  /** Reads the configuration again and applies it, after everything that it reads now. */
  reload(): Promise<void>;
  begin(): Promise<void>;
  end(): Promise<void>;
}

interface MemberDependencies extends Surroundings {
  readonly courtOf: (world: World) => Court;
  readonly onQuestion: (question: Question) => void;
}

/** The exporter does not run yet. */
export function createMember(index: number, dependencies: MemberDependencies): Member {
  const { story, time, books, keys, files, coverage, written } = dependencies;
  const questions = createQuestions();
  const state = createExporterState(partOfSettings(written(), index), time);
  const own = { ...story, events: story.events.filter((event) => concerns(event, index)) };
  const world = { ...state, story: own, time, books, keys, files, questions };
  const court = dependencies.courtOf(world);
  let reloads: Promise<unknown> = Promise.resolve();
  let idle: WorldExporter | undefined;

  const connect = createWorldGateway({
    ...dependencies,
    process: index,
    questions,
    nextNumber: dependencies.nextQuestion,
    costMicros: () => (state.settings().probes?.perRun ?? 0) * 1e6,
    onQuestion: (question) => {
      court.judge((one) => one.asked?.(question));
      dependencies.onQuestion(question);
    },
  });

  async function reload(): Promise<void> {
    const [next, present] = [written(), member.exporter];
    if (!present) return;
    const end = state.beginReload();
    const isValid = await present.reload(() => {
      member.loaded = next;
      state.loaded(partOfSettings(next, index));
    });
    end();
    coverage.count(isValid ? "reload" : "reload of an invalid configuration");
  }

  const member: Member = {
    index,
    world,
    state,
    court,
    exporter: undefined,
    loaded: written(),
    reload: () => (reloads = reloads.then(reload)).then(() => {}),
    begin: async () => {
      const shards = story.settings.shards === undefined ? undefined : index;
      idle ??= await createWorldExporter({ ...dependencies, connect, index: shards });
      // Reading the configuration takes a while.
      if (time.elapsedMs() > 0) state.restarted();
      await idle.start();
      member.exporter = idle;
    },
    end: async () => {
      member.exporter = undefined;
      await idle?.stop();
    },
  };
  return member;
}

function concerns(event: StoryEvent, index: number): boolean {
  return event.do === "kill" ? event.process === index : event.do !== "resize";
}
