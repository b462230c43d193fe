import type { Config } from "../config/config.ts";
import { needsBothDays } from "../time/cron.ts";
import type { ScheduleExpression } from "../time/ticker.ts";

/** Warns at the start and in `check` of schedules that mean something else to most crons. */
export function scheduleWarnings({ schedule, probing }: Config): readonly string[] {
  const schedules: readonly (readonly [string, ScheduleExpression])[] = [
    ...Object.entries(schedule).map(([name, each]) => [`schedule.${name}`, each] as const),
    ...(probing?.probes ?? []).map(
      ({ name, schedule: each }) => [`schedule of probe "${name}"`, each] as const,
    ),
  ];
  return schedules.flatMap(([place, each]) =>
    each.kind === "cron" && needsBothDays(each.expression)
      ? [
          `${place}: "${each.expression}" runs only on days that match both its day of month and its day of week; most crons run on days that match either`,
        ]
      : [],
  );
}
