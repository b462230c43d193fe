import { chance } from "../gateway/random.ts";
import { DAY_MS } from "./calendar.ts";
import { recoverySeconds } from "./recovery.ts";
import { endOf, lastTroubleEnd, type Resize, type Story, type StoryEvent } from "./story.ts";

/** Something that happens at a time. */
export interface Step {
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

/** A key that moves must be shown at all times: within the resize, and until the former shard shows nothing of it. */
function duringResize(resize: Resize): readonly number[] {
  const [start, end] = [resize.at * 1000, endOf(resize) * 1000];
  const within = Array.from({ length: 8 }, (_, index) => start + ((end - start) * index) / 8);
  return [
    ...within,
    ...[-300, 100, 300, 1000, 5000, 20_000, 110_000, 160_000, 200_000].map((ms) => end + ms),
  ];
}

/** Scrapes are rarer in hours in which little happens. */
const CALM_FACTOR = 4;

/** Everything that happens in a story, in order: its events, and the scrapes. */
export function timelineOf(story: Story, { happen, scrape, heal }: Doing): readonly Step[] {
  const lengthMs = Math.max(story.minutes * 60, lastTroubleEnd(story) + recoverySeconds(story)) * 1000;
  const startMs = Date.parse(story.start);
  const scrapes: number[] = [];
  const busyMs = Math.min(story.minutes, 60) * 60_000;
  for (let at = 500; at < lengthMs; at += story.scrapeSeconds * (at < busyMs ? 1000 : 1000 * CALM_FACTOR))
    scrapes.push(at + Math.floor(chance(story.seed, at, 5) * 900));
  for (let midnight = Math.ceil(startMs / DAY_MS) * DAY_MS; midnight < startMs + lengthMs; midnight += DAY_MS)
    scrapes.push(...AROUND_MIDNIGHT.map((ms) => midnight + ms - startMs));
  for (const event of story.events) scrapes.push(...AFTER_EVENT.map((ms) => event.at * 1000 + ms));
  for (const event of story.events) if (event.do === "resize") scrapes.push(...duringResize(event));
  const steps: Step[] = [
    ...story.events.map((event) => ({ at: event.at * 1000, run: () => happen(event) })),
    ...story.events.flatMap((event) =>
      event.do === "file" ? [{ at: (event.at + event.for) * 1000, run: () => heal(event.file) }] : [],
    ),
    ...scrapes.filter((at) => at >= 0 && at <= lengthMs).map((at) => ({ at, run: scrape })),
  ];
  return steps.toSorted((one, other) => one.at - other.at);
}
