import type { Question } from "../questions.ts";
import type { Judge, Scrape, World } from "../world.ts";

/**
 * Several exporters together are not faster than one may be, and, unless their number has just changed, a key belongs to
 * one of them.
 */
export function createDivision(world: World): Judge {
  const recent: Question[] = [];
  const owners = new Map<string, Question>();

  function judgePace({ monotonic }: Question): readonly string[] {
    const { pace, shards = 1 } = world.settings();
    while ((recent[0]?.monotonic ?? monotonic) < monotonic - MINUTE_MS) recent.shift();
    const isSteady = monotonic - world.settingsSince() > MINUTE_MS && !world.isApplying();
    if (pace === 0 || !isSteady || recent.length <= pace + shards) return [];
    return [`${recent.length} requests for keys within a minute, and the pace is ${pace}`];
  }

  function judgeOwner(question: Question): readonly string[] {
    const { token, at, process } = question;
    const before = owners.get(token);
    owners.set(token, question);
    // A process that is suspended before it gives up its keys polls them once more when it resumes.
    const changedAt = Math.max(world.settingsSince(), world.disturbedAt());
    const isSteady = before !== undefined && before.at > changedAt + LONGEST_RUN_MS;
    if (!isSteady || before.process === process || world.isApplying()) return [];
    return [`processes ${before.process} and ${process} poll ${token} within ${at - before.at} ms`];
  }

  /** Each process shows the total, and each shard has a process. */
  function judgeTotal({ exposition, at }: Scrape): readonly string[] {
    const shown = exposition.samples("aigateway_exporter_shards");
    const { shards = 1 } = world.settings();
    const isSteady = at - world.settingsSince() > LONGEST_RUN_MS && !world.isApplying();
    const isKilled = world.story.events.some((event) => event.do === "kill" || event.do === "restart");
    const isWhole = shown.length === shards && shown.every(({ value }) => value === shards);
    return isSteady && !isKilled && !isWhole ? [`${shown.length} of ${shards} shards are shown`] : [];
  }

  return {
    asked: (question) => {
      if (question.endpoint !== "key") return [];
      recent.push(question);
      return [...judgePace(question), ...judgeOwner(question)];
    },
    scraped: judgeTotal,
  };
}

const MINUTE_MS = 60_000;
/** The deadline of a run, and its last retry. */
const LONGEST_RUN_MS = 45_000;
