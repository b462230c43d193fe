import type { Question } from "../questions.ts";
import { restUntil } from "../troubles.ts";
import type { EndpointName, Settings } from "../story.ts";
import type { Judge, World, Scrape } from "../world.ts";
import { questionsAbout } from "../shown-keys.ts";
import { intervalMs } from "../exporter-state.ts";

/**
 * The exporter is never faster than its pace and the gateway's hints, and once a reload has returned, no question
 * belongs to an earlier configuration.
 */
export function createPoliteness(world: World): Judge {
  /** The earliest times of the next questions, monotonic milliseconds. */
  const next = new Map<
    EndpointName,
    { readonly at: number; readonly distance: number; readonly starts: number }
  >();
  const hints = new Map<string, Question>();

  function judgePace({ endpoint, monotonic }: Question): readonly string[] {
    const distance = distanceOf(endpoint, world.settings());
    const known = next.get(endpoint);
    const starts = world.starts();
    const isSame = known?.distance === distance && known.starts === starts && !world.isApplying();
    const lateMs = CATCH_UP_MS + world.files.lateMs();
    const at = Math.max(isSame ? known.at : 0, monotonic - lateMs);
    next.set(endpoint, { at: at + distance, distance, starts });
    return isSame && monotonic < known.at - 1
      ? [`${endpoint} is asked ${known.at - monotonic} ms too early`]
      : [];
  }

  function judgeHint(question: Question): readonly string[] {
    const { endpoint, gateway, token, at } = question;
    if (endpoint !== "key") return [];
    const target = `${gateway} ${token}`;
    const before = hints.get(target);
    hints.set(target, question);
    if (before?.retryAfterMs === undefined || before.endedAt === undefined) return [];
    const key = world.settings().keys.find(({ file }) => world.files.hasHeld(file, token, 0));
    const known = Math.max(world.startedAt(), key ? world.configuredSince(key.name) : at);
    const until = restUntil(before) ?? 0;
    return at < until - 1 && known <= before.at
      ? [`a key is asked ${until - at} ms before the hint ends`]
      : [];
  }

  function judgeConfiguration({ endpoint, gateway, token, at }: Question): readonly string[] {
    if (world.isApplying()) return [];
    const settings = world.settings();
    const files =
      endpoint === "analytics" || endpoint === "account"
        ? [settings.analytics?.file ?? -1]
        : settings.keys.map(({ file }) => file);
    const isKnown =
      gateway === settings.gateway && files.some((file) => world.files.hasHeld(file, token, at - 60_000));
    return isKnown ? [] : [`gateway ${gateway} is asked with ${token}, which is not configured any more`];
  }

  return {
    asked: (question) => [...judgePace(question), ...judgeHint(question), ...judgeConfiguration(question)],
  };
}

/** A late timer may be made up for by this much. */
const CATCH_UP_MS = 100;

function distanceOf(endpoint: EndpointName, { pace }: Settings): number {
  const perMinute = { key: pace, analytics: 60, account: 60, transcription: 0 }[endpoint];
  return perMinute === 0 ? 0 : 60_000 / perMinute;
}

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
