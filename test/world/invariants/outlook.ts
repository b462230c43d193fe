import type { KeyFigures } from "../books.ts";
import { windowStart } from "../calendar.ts";
import { figuresOf, questionsAbout } from "../shown-keys.ts";
import type { KeySettings } from "../story.ts";
import type { Judge, Scrape, World } from "../world.ts";

/**
 * The outlook of a key is that of the limit which is shown, and the spend of the books justifies it: nobody is woken
 * for a limit that lasts. A contradiction that the next scrape no longer sees is none.
 */
export function createOutlook(world: World): Judge {
  let before: ReadonlySet<string> = new Set();

  /** How many hours the rest of the limit lasts at the rate of the hour before the newest answer; Infinity: the key has no limit. */
  function hoursLeft(key: KeySettings, at: number): number {
    const answer = questionsAbout(world, key).findLast(
      ({ end, endedAt = at }) => end === "good" && endedAt < at,
    );
    const now = answer && figuresOf(world, answer);
    const then = answer && figuresOf(world, { ...answer, asOfMs: answer.asOfMs - HOUR_MS });
    if (!now || !then) return Number.NaN;
    return now.remaining === null ? Infinity : now.remaining / (counted(now) - counted(then));
  }

  function contradictions(key: KeySettings, { exposition, at, atMs }: Scrape): readonly string[] {
    const labels = { key: key.name };
    const outlook = exposition
      .samples(OUTLOOK)
      .find((sample) => sample.labels["key"] === key.name && sample.value === 1)?.labels[OUTLOOK];
    const remaining = exposition.value("aigateway_key_limit_remaining_credits", labels);
    const unlimited = exposition.value("aigateway_key_unlimited", labels);
    const is = (isWrong: boolean, because: string) =>
      isWrong ? [`${key.name} is ${outlook}, and ${because}`] : [];
    // Right after midnight, an answer may be about yesterday, and is not judged. A process whose clock
    // is wrong cannot know the window.
    const isDisturbed = at - world.disturbedAt() < DISTURBED_MS || Math.abs(world.time.skewMs()) > 1000;
    if (outlook === undefined || isDisturbed || atMs - windowStart("day", atMs) < UNSETTLED_MS) return [];
    const hours = hoursLeft(key, at);
    return [
      ...is(
        outlook === "exhausted" && remaining !== undefined && remaining > 0,
        `${remaining} credits are left`,
      ),
      ...is(
        outlook !== "exhausted" && remaining !== undefined && remaining <= 0,
        `${remaining} credits are left`,
      ),
      ...is(
        unlimited !== undefined && (outlook === "unlimited") !== (unlimited === 1),
        `unlimited is ${unlimited}`,
      ),
      ...is(outlook === "imminent" && hours > 4, `its limit lasts ${hours} hours`),
      ...is(outlook === "predicted" && hours > 72, `its limit lasts ${hours} hours`),
    ];
  }

  return {
    scraped: (scrape) => {
      const now = new Set(world.settings().keys.flatMap((key) => contradictions(key, scrape)));
      const lasting = [...now].filter((one) => before.has(one));
      before = now;
      return lasting;
    },
  };
}

const OUTLOOK = "aigateway_key_outlook";
const HOUR_MS = 3_600_000;
const UNSETTLED_MS = 180_000;
/** A step of the clock delays the next reading. */
const DISTURBED_MS = 900_000;

/** What counts against the limit since the beginning, millionths. */
function counted({ usage, byok, countsByok }: KeyFigures): number {
  return usage.total + (countsByok ? byok.total : 0);
}
