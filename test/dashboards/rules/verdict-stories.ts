import { simulateKey, type SimulatedKey, type SimulatedRun } from "./simulated-key.ts";

/** The minute in which the exporter and Prometheus start: a Thursday at 10:00 UTC. Callers spend since midnight. */
export const START = 600;
export const MINUTES = START + 462;
const HOUR = 60;

/** A key, and its verdicts 8, 36 and 92 minutes and 7 hours after the start. */
export interface VerdictStory {
  readonly key: SimulatedKey;
  readonly verdicts: readonly [string, string, string, string];
  /** Whether its spending is regular, so that its end is foreseeable from the start. */
  readonly isRegular: boolean;
}

const NOT_YET = "not known yet";
const DAY_ESTIMATE = "out within a day (estimate)";
const WEEK_ESTIMATE = "out within a week (estimate)";
const LATER_ESTIMATE = "out before its reset (estimate)";

export const verdictStories: readonly VerdictStory[] = [
  steadily("half-day", 4, { limit: 90, reset: "monthly" }, DAY_ESTIMATE, "out within a day"),
  steadily("half-day-never", 4, { limit: 90, reset: "never" }, DAY_ESTIMATE, "out within a day"),
  steadily("afternoon", 1, { limit: 15, reset: "daily" }, DAY_ESTIMATE, "exhausted"),
  steadily("evening", 1, { limit: 22, reset: "daily" }, DAY_ESTIMATE, "out within a day"),
  steadily("three-days", 1, { limit: 82, reset: "weekly" }, WEEK_ESTIMATE, WEEK_ESTIMATE),
  steadily("ten-days", 1, { limit: 250, reset: "monthly" }, LATER_ESTIMATE, LATER_ESTIMATE),
  steadily("forty-days", 1, { limit: 1000, reset: "never" }, NOT_YET, "lasts over a week"),
  steadily("day-lasts", 1, { limit: 30, reset: "daily" }, NOT_YET, "lasts"),
  steadily("week-lasts", 1, { limit: 300, reset: "weekly" }, NOT_YET, "lasts"),
  steadily("month-lasts", 1, { limit: 1000, reset: "monthly" }, NOT_YET, "lasts"),
  steadily("idle-day", 0, { limit: 10, reset: "daily" }, NOT_YET, "lasts"),
  steadily("idle-month", 0, { limit: 10, reset: "monthly" }, NOT_YET, "lasts"),
  steadily("dry", 1, { limit: 5, reset: "monthly" }, "exhausted", "exhausted"),
  steadily("unlimited", 9, { limit: null, reset: "never" }, "unlimited", "unlimited"),
  steadily("blocked", 0, { limit: 0, reset: "monthly" }, "blocked (limit 0)", "blocked (limit 0)"),
  {
    key: { name: "new", limit: 100, reset: "weekly", spend: (minute) => (minute < START ? 0 : 8 / HOUR) },
    verdicts: [NOT_YET, DAY_ESTIMATE, DAY_ESTIMATE, "out within a day"],
    isRegular: false,
  },
  {
    key: {
      name: "runaway",
      limit: 70,
      reset: "daily",
      spend: (minute) => (minute < START + 200 ? 0.01 : 0.2),
    },
    verdicts: [NOT_YET, NOT_YET, NOT_YET, "out within a day"],
    isRegular: false,
  },
  {
    key: {
      name: "mute",
      limit: 30,
      reset: "daily",
      spend: () => 1 / HOUR,
      answers: (minute) => minute > START + 60,
    },
    verdicts: ["unknown", "unknown", NOT_YET, NOT_YET],
    isRegular: true,
  },
  {
    key: {
      name: "silenced",
      limit: 30,
      reset: "daily",
      spend: () => 1 / HOUR,
      answers: (m) => m < START + 10,
    },
    verdicts: [NOT_YET, "unknown", "unknown", "unknown"],
    isRegular: true,
  },
  {
    key: { name: "office", limit: 100, reset: "daily", spend: officeHours },
    // On the first day there is no history that shows when its office closes.
    verdicts: [NOT_YET, DAY_ESTIMATE, DAY_ESTIMATE, "out within a day"],
    isRegular: false,
  },
  {
    key: { name: "batches", limit: 30, reset: "weekly", spend: (minute) => (minute % 120 < 20 ? 0.05 : 0) },
    verdicts: [WEEK_ESTIMATE, WEEK_ESTIMATE, WEEK_ESTIMATE, WEEK_ESTIMATE],
    isRegular: true,
  },
];

/** The series of each key, watched from the start on, and when it runs dry within two days of the start. */
export const verdictRuns: ReadonlyMap<string, SimulatedRun> = new Map(
  verdictStories.map(({ key }) => {
    const { series } = simulateKey({ ...key, scraped: { "a:9853": (minute) => minute > START } }, MINUTES);
    const { exhaustedAt } = simulateKey({ ...key, scraped: {} }, START + 2880);
    return [key.name, { series, exhaustedAt }];
  }),
);

/** A key that spends the same amount in every hour. */
function steadily(
  name: string,
  perHour: number,
  key: Pick<SimulatedKey, "limit" | "reset">,
  early: string,
  after7Hours: string,
): VerdictStory {
  return {
    key: { ...key, name, spend: () => perHour / HOUR },
    verdicts: [early, early, early, after7Hours],
    isRegular: true,
  };
}

/** 90 credits between 09:00 and 18:00. */
function officeHours(minute: number): number {
  const hour = (minute / HOUR) % 24;
  return hour >= 9 && hour < 18 ? 10 / HOUR : 0;
}
