import { DAY_MS } from "./calendar.ts";
import type { Question } from "./questions.ts";
import {
  endOf,
  type EndpointName,
  type FaultKind,
  type Story,
  type StoryEvent,
  type Settings,
} from "./story.ts";
import type { Scrape, World } from "./world.ts";

/** The gateway lags, so an answer that soon after midnight proves nothing. */
export const SETTLE_MS = 90_000;

/** The longest pause that a hint can cause: the default of `gateway.max_pause`. */
const MOST_PAUSE_MS = 300_000;

/** A time in which something may hide values, elapsed milliseconds. */
interface Trouble {
  readonly from: number;
  readonly to: number;
  /** The exporter cannot notice that it is over, so the next poll of the schedule must do. */
  readonly isUnnoticed: boolean;
}

/** Since when nothing is wrong, and how long recovery may take; all milliseconds. */
export interface Calm {
  readonly since: number;
  readonly keys: Bounds;
  readonly analytics: Bounds;
}

/** A target that failed while its values were still shown waits for the next poll of its schedule; the others do not. */
interface Bounds {
  /** Until the values are shown. */
  readonly shownMs: number;
  /** Until the last poll has succeeded. */
  readonly upMs: number;
}

/** Undefined: something is wrong at the time of a scrape. */
export function calmAt(world: World, { at, atMs, exposition }: Scrape): Calm | undefined {
  // After a storm of refusals, the pace is low for a while, and the exporter says until when.
  const throttled = exposition.samples("aigateway_exporter_throttled_until_timestamp_seconds");
  if (throttled.some(({ value }) => value * 1000 > atMs)) return undefined;
  const troubles = [...pastTroubles(world, at), ...hints(world, at), ...changes(world)];
  if (troubles.some(({ from, to }) => from <= at && at < to)) return undefined;
  const settings = world.settings();
  const { pace, keys } = settings;
  const paceMs = pace === 0 ? 0 : (keys.length * 60_000) / pace;
  const since = Math.max(0, ...troubles.map(({ to }) => to));
  const linkMs = 2 * Math.max(keyRoundSeconds(settings), analyticsRoundSeconds(settings)) * 1000;
  const chain = chainBefore(troubles, linkMs);
  const boundsOf = (gapMs: number, roundMs: number): Bounds => {
    const soonMs = chain.some(({ isUnnoticed }) => isUnnoticed)
      ? Infinity
      : 120_000 + 2 * (since - Math.min(since, ...chain.map(({ from }) => from)));
    const leastMs = Math.max(120_000, 2 * roundMs);
    return {
      shownMs: Math.max(leastMs, Math.min(2 * gapMs, soonMs)) + SLACK_MS,
      upMs: Math.max(leastMs, 2 * gapMs) + SLACK_MS,
    };
  };
  return {
    since,
    keys: boundsOf(gapSeconds(settings.keySchedule) * 1000, paceMs),
    analytics: boundsOf(analyticsRoundSeconds(settings) * 1000, 30_000),
  };
}

/** For latencies and for the publishing of an answer. */
const SLACK_MS = 6000;

/** A request that was sent during a fault may last until its deadline. */
const LINGERING_MS = 35_000;

function pastTroubles({ story, time }: World, at: number): readonly Trouble[] {
  const midnights: Trouble[] = [];
  const startMs = Date.parse(story.start);
  const nowMs = time.trueMs();
  const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS - startMs;
  midnights.push({ from: midnight, to: midnight + SETTLE_MS, isUnnoticed: false });
  return [...midnights, ...story.events.filter((event) => event.at * 1000 <= at).map(troubleOf)];
}

function troubleOf(event: StoryEvent): Trouble {
  const [from, to] = [event.at * 1000, endOf(event) * 1000];
  const isRejected = event.do === "fault" && REJECTIONS.has(event.what);
  const isReplaced = event.do === "rotate" && event.account !== undefined;
  const isUnnoticed = UNNOTICED.has(event.do) || isRejected || isReplaced;
  return { from, to: event.do === "fault" || event.do === "file" ? to + LINGERING_MS : to, isUnnoticed };
}

const UNNOTICED: ReadonlySet<StoryEvent["do"]> = new Set(["limit", "step", "suspend"]);

/** What someone must mend is asked again at the next poll of the schedule. */
const REJECTIONS: ReadonlySet<FaultKind> = new Set([400, 401, 402, 403, 404]);

/** The waits that the gateway has asked for. */
function hints({ questions, story }: World, at: number): readonly Trouble[] {
  const recent = (endpoint: EndpointName) => {
    const all = questions.at(endpoint);
    const first = all.findLastIndex((question) => withoutClock(story, question.at + 2 * MOST_PAUSE_MS) < at);
    return all.slice(first + 1);
  };
  return [...recent("key"), ...recent("analytics"), ...recent("account")].flatMap((question) => {
    const until = restUntil(question);
    return until === undefined
      ? []
      : [{ from: question.at, to: withoutClock(story, until), isUnnoticed: false }];
  });
}

/** When a wait ends, elapsed milliseconds: a monotonic clock that stops makes it longer. */
function withoutClock({ events }: Story, until: number): number {
  return events.reduce((end, event) => {
    const isIn = event.do === "suspend" && event.frozen === true && event.at * 1000 < end;
    return isIn ? end + (endOf(event) - event.at) * 1000 : end;
  }, until);
}

/** Until when the gateway asked to wait, elapsed milliseconds. A refusal without a hint rests for half a minute. */
export function restUntil({ endedAt, code, retryAfterMs }: Question): number | undefined {
  if (endedAt === undefined || (code !== 429 && code !== 503)) return undefined;
  return endedAt + Math.min(retryAfterMs ?? (code === 429 ? 30_000 : 0), MOST_PAUSE_MS);
}

function changes(world: World): readonly Trouble[] {
  const times = [world.settingsSince(), world.startedAt()];
  const disturbedAt = world.disturbedAt();
  const loading = world.isApplying() ? [{ from: 0, to: Infinity, isUnnoticed: false }] : [];
  return [
    ...times.map((time) => ({ from: time, to: time, isUnnoticed: false })),
    { from: disturbedAt, to: disturbedAt, isUnnoticed: disturbedAt > 0 },
    ...loading,
  ];
}

/** The troubles that ended last, with those before them that left no time to recover. */
function chainBefore(troubles: readonly Trouble[], linkMs: number): readonly Trouble[] {
  const chain: Trouble[] = [];
  let from = Infinity;
  for (const trouble of troubles.toSorted((one, other) => other.to - one.to)) {
    if (trouble.to + linkMs < from && from !== Infinity) break;
    chain.push(trouble);
    from = Math.min(from, trouble.from);
  }
  return chain;
}

/**
 * The gap of a schedule as the stories write it, seconds: `60s`, `15m`, `* * * * *`, a cron with minutes in steps, or
 * one that runs hourly or daily.
 */
function gapSeconds(schedule: string): number {
  const [, count, unit] = /^(\d+)([smh])$/.exec(schedule) ?? [];
  if (count !== undefined) return Number(count) * (unit === "s" ? 1 : unit === "m" ? 60 : 3600);
  const [minute = "*", hour = "*"] = schedule.split(" ");
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (minute === "*" || step !== undefined) return 60 * Number(step ?? 1);
  return hour === "*" ? 3600 : 86_400;
}

/** Seconds that one round of all keys takes: the gap of the schedule, or what the pace allows. */
export function keyRoundSeconds({ keys, keySchedule, pace }: Settings): number {
  return Math.max(gapSeconds(keySchedule), pace === 0 ? 0 : (keys.length * 60) / pace);
}

/** The same for the analytics. */
function analyticsRoundSeconds({ analyticsSchedule }: Settings): number {
  return gapSeconds(analyticsSchedule);
}

/** Seconds after the last trouble within which everything must be shown again, and some more. */
export function recoverySeconds({ settings, events }: Pick<Story, "settings" | "events">): number {
  const all = [
    settings,
    ...events.flatMap((event) => (event.do === "reload" ? [{ ...settings, ...event.change }] : [])),
  ];
  const rounds = all.map((one) =>
    Math.max(keyRoundSeconds(one), one.analytics ? analyticsRoundSeconds(one) : 0),
  );
  return 2 * Math.max(60, ...rounds) + 60;
}
