import { budgetFamilies as families } from "../../exporter/budgets/families.ts";
import { DAY, thresholds } from "../thresholds.ts";
import { promql, select, type Series } from "../promql.ts";
import { record, type RecordingRule } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Timing } from "./timing.ts";

/**
 * Forecasts what a budget will have spent at the end of its window. Days and weeks have a shape (office
 * hours, weekends), so their forecast follows the previous window; that of a month follows its mean rate.
 */
export function budgetForecast(timing: Timing): readonly RecordingRule[] {
  const { analyticsMemorySeconds, now } = timing;
  const { budgetSpent: spent, budgetPrevious: previous, budgetRestShare: restShare } = recorded;
  const { start, end } = budgetWindow(timing);
  const after = (window: string, seconds: number) =>
    promql`${spent} offset ${timing.duration(seconds)} and on (job, gateway, budget) ${select(recorded.budgetOwner, { window })}`;
  return [
    record(
      previous,
      "Credits spent in the previous window. Taken in the first minutes of a window, when its own spend is not known yet, and remembered.",
      promql`
        (
          last_over_time(${spent}[${timing.duration(2 * analyticsMemorySeconds)}])
          and on (job, gateway, budget) (${now} - ${start} < ${analyticsMemorySeconds})
          or last_over_time(${previous}[${timing.duration(DAY)}])
        )
        and ${recorded.budgetLimit}`,
    ),
    record(
      restShare,
      "The share of the previous window's spend that came after this time of the day or week.",
      promql`
        clamp_min(
          ${previous} - on (job, gateway, budget) (
            ${after("day", DAY)}
            or ${after("week", 7 * DAY)}
          ),
          0
        )
        / on (job, gateway, budget) (${previous} > 0)`,
    ),
    record(
      recorded.budgetForecast,
      "Credits spent by the end of the window: of a day or a week, if it continues like the previous one, else at the mean rate. The previous window's spend is weighted in, so that the first calls of a morning do not look like a trend. Absent in the first tenth of the window, when a few hours would distort it.",
      promql`
        (
          ${spent} + ${restShare} * (${spent} + ${previous}) / (2 - ${restShare})
          or ${spent} * (${end} - ${start}) / (${now} - ${start})
        )
        and (${now} - ${start} > ${thresholds.forecastAfter} * (${end} - ${start}))`,
    ),
  ];
}

/** The share of the window that is left, from 1 to 0. */
export function budgetWindowLeft(timing: Timing): string {
  const { start, end } = budgetWindow(timing);
  return promql`(${end} - ${timing.now}) / (${end} - ${start})`;
}

function budgetWindow({ analyticsMemory }: Timing): { readonly start: string; readonly end: string } {
  const known = (series: Series) =>
    `max by (job, gateway, budget) (last_over_time(${series.name}[${analyticsMemory}]))`;
  return { start: known(families.windowStart), end: known(families.windowEnd) };
}
