import * as fc from "fast-check";
import { gapSeconds } from "./recovery.ts";
import { numberedKeys, type Settings, type Story, type StoryEvent } from "./story.ts";
import { storyArbitrary } from "./story-arbitrary.ts";

/**
 * Stories of one exporter, and some of several that divide the keys. `shards`: so many in each story; undefined: one
 * story in six has them.
 */
export function worldArbitrary(shards: number | undefined): fc.Arbitrary<Story> {
  const fleet = fleetArbitrary(shards);
  const some =
    shards === undefined
      ? fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fleet })
      : fleet;
  // Last, so that a seed has the same story of one exporter as before.
  return fc.tuple(storyArbitrary(), some).map(([story, drawn]) => (drawn ? divided(story, drawn) : story));
}

interface DrawnFleet {
  readonly shards: number;
  /** Undefined: the keys of the story. */
  readonly keys: number | undefined;
  readonly changes: readonly Change[];
}

interface Change {
  /** Parts of the length of the story, and of what a resize or an absence may last. */
  readonly at: number;
  readonly lasts: number;
  readonly to: number;
  readonly kind: "resize" | "abrupt" | "kill";
}

function fleetArbitrary(shards: number | undefined): fc.Arbitrary<DrawnFleet> {
  return fc.record({
    shards: shards === undefined ? fc.constantFrom(1, 2, 2, 3, MOST) : fc.constant(shards),
    keys: fc.option(fc.integer({ min: 7, max: 12 }), { nil: undefined, freq: 1 }),
    changes: fc.array(
      fc.record({
        at: fc.double({ min: 0.02, max: 0.9, noNaN: true }),
        lasts: fc.double({ min: 0.05, max: 1, noNaN: true }),
        to: fc.constantFrom(1, 2, 3, 4, MOST),
        kind: fc.constantFrom<Change["kind"][]>("resize", "resize", "resize", "abrupt", "kill"),
      }),
      { maxLength: 3, size: "max" },
    ),
  });
}

const MOST = 5;
/** With fewer, what a shard may ask is so little that a story must be long. */
const LEAST_PACE = 20;

/** The story with shards: every limit can be divided, and no process is added that cannot read its secrets. */
function divided(story: Story, { shards, keys, changes }: DrawnFleet): Story {
  const settings = {
    ...story.settings,
    ...divisible(story.settings),
    shards,
    ...(keys !== undefined && { keys: numberedKeys(keys) }),
  };
  const own = story.events.flatMap((event): readonly StoryEvent[] => {
    if (event.do === "file" && changes.length > 0) return [];
    return event.do === "reload" ? [{ ...event, change: divisible(event.change) }] : [event];
  });
  const events = [...own, ...changes.flatMap((change) => eventOf(change, story))];
  return { ...story, settings, events: events.toSorted((one, other) => one.at - other.at) };
}

function divisible({ pace, connections, ...rest }: Partial<Settings>): Partial<Settings> {
  return {
    ...rest,
    ...(pace !== undefined && { pace: pace === 0 ? 0 : Math.max(LEAST_PACE, pace) }),
    ...(connections !== undefined && { connections: Math.max(MOST, connections) }),
  };
}

/** A resize ends before what the former shards still show can have expired. */
function eventOf(
  { at, lasts, to, kind }: Change,
  { minutes, settings, events }: Story,
): readonly StoryEvent[] {
  const schedules = [settings, ...events.flatMap((event) => (event.do === "reload" ? [event.change] : []))];
  const shortest = Math.min(...schedules.flatMap(({ keySchedule }) => gapOf(keySchedule)));
  const seconds = Math.max(1, Math.floor(lasts * Math.min(60, shortest / 2)));
  const when = Math.ceil(at * minutes * 60);
  if (kind === "kill") return [{ do: "kill", at: when, for: Math.ceil(lasts * 90), process: to - 1 }];
  return [{ do: "resize", at: when, for: seconds, to, ...(kind === "abrupt" && { abrupt: true }) }];
}

function gapOf(schedule: string | undefined): readonly number[] {
  return schedule === undefined ? [] : [gapSeconds(schedule)];
}
