import { queryFamilies } from "../../exporter/collectors/analytics-families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { instant } from "../builder/query.ts";
import { stat } from "../builder/stat.ts";
import { unit } from "../builder/unit.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql } from "../promql.ts";
import { thresholds } from "../thresholds.ts";

/** The text of panels whose figures come from analytics queries. Exporter health shows which reason applies. */
export const NO_ANALYTICS =
  "No analytics figures for this selection: either no management key is configured (analytics in the exporter's configuration), or the gateway has not answered yet or fails";

/** The text of graphs of full days. */
export const NO_FULL_DAY =
  "No full day was watched in this range: the first bar appears at 02:00 UTC after the first midnight. Needs a management key (analytics in the exporter's configuration)";

const NO_ANSWER = "no answer";

/** Age of the analytics data. */
export function dataUntil(id: number): PlacedPanel {
  return stat({
    id,
    title: "Data age",
    width: 4,
    shows: "Age of the figures for this day and month, whichever is older.",
    read: "The gateway may answer from a cache and reports the age of the cached data.",
    act: "Above an hour, see Exporter health: the gateway refuses the queries or fails.",
    empty: NO_ANSWER,
    queries: [instant(promql`time() - min(${ofJob(queryFamilies.dataTimestamp, { query: "~day|month" })})`)],
    unit: unit.seconds,
    steps: steps("green", [thresholds.analyticsStale, "orange"], [thresholds.completeWindowStale, "red"]),
  });
}

/** Number of truncated answers. */
export function cut(id: number): PlacedPanel {
  return stat({
    id,
    title: "Truncated answers",
    width: 4,
    shows: "Queries whose result exceeds the 1,000 rows that the gateway returns.",
    read: "0 is good. Totals are correct either way, but part of the spend of named models and apps is counted in _other.",
    act: "No action is possible: the row limit is the gateway's. Read single models and apps as lower bounds.",
    empty: NO_ANSWER,
    queries: [instant(promql`sum(max by (job, gateway, query) (${ofJob(queryFamilies.truncated)}))`)],
    unit: unit.count,
    steps: steps("green", [1, "orange"]),
  });
}
