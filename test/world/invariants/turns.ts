import { questionsAbout } from "../shown-keys.ts";
import { intervalMs } from "../intervals.ts";
import type { Question } from "../questions.ts";
import type { Judge, Scrape, World } from "../world.ts";
import { restUntil } from "../troubles.ts";

/** Turns are fair: no key waits more than two effective intervals while another one is answered again and again. */
export function createTurns(world: World): Judge {
  function judge(scrape: Scrape): readonly string[] {
    const { keys } = world.settings();
    const longMs = 2 * intervalMs(scrape, "key") + SLACK_MS;
    const asked = keys.map((key) => ({ key, questions: questionsAbout(world, key) }));
    return asked.flatMap(({ key, questions }) => {
      const since = waitsSince(key.name, questions.at(-1));
      if (
        since === undefined ||
        since < world.disturbedAt() ||
        scrape.at - since <= longMs ||
        isFileWrong(key.file, since)
      )
        return [];
      const favoured = asked.find(
        (other) => other.key !== key && answersSince(other.questions, since) >= MANY,
      );
      return favoured
        ? [`${key.name} waits for ${(scrape.at - since) / 1000} s, while ${favoured.key.name} is answered`]
        : [];
    });
  }

  /** Undefined: its question is under way. */
  function waitsSince(name: string, last: Question | undefined): number | undefined {
    if (!last) return Math.max(world.configuredSince(name), world.startedAt());
    if (last.endedAt === undefined) return undefined;
    return Math.max(restUntil(last) ?? 0, last.endedAt, world.configuredSince(name));
  }

  function isFileWrong(file: number, since: number): boolean {
    return world.story.events.some(
      (event) => event.do === "file" && event.file === file && (event.at + event.for) * 1000 > since,
    );
  }

  return { scraped: (scrape) => (Math.abs(world.time.skewMs()) > 0 ? [] : judge(scrape)) };
}

/** Early retries back off up to the interval. */
const SLACK_MS = 40_000;
const MANY = 3;

function answersSince(questions: readonly Question[], since: number): number {
  return questions.filter(({ at, end }) => at > since && end === "good").length;
}
