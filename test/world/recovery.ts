import type { Settings, Story } from "./story.ts";

/**
 * The gap of a schedule as the stories write it, seconds: `60s`, `15m`, `* * * * *`, a cron with minutes in steps, or
 * one that runs hourly or daily.
 */
export function gapSeconds(schedule: string): number {
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
export function analyticsRoundSeconds({ analyticsSchedule }: Settings): number {
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
