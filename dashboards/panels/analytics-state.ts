import { queryFamilies } from "../../exporter/collectors/analytics-families.ts";
import { steps } from "../board/color.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { instant } from "../board/query.ts";
import { stat } from "../board/stat.ts";
import { unit } from "../board/unit.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql } from "../promql.ts";
import { thresholds } from "../thresholds.ts";

const NOT_ASKED = "no management key";

/** Until when the figures tell. */
export function dataUntil(id: number): PlacedPanel {
  return stat({
    id,
    title: "Data age",
    width: 4,
    shows: "Time that the figures of this day and month lie behind, the older of the two.",
    read: "The gateway may answer from a cache, and says how old that is.",
    act: "Above an hour see Exporter health: the gateway refuses or fails.",
    empty: NOT_ASKED,
    queries: [instant(promql`time() - min(${ofJob(queryFamilies.dataTimestamp, { query: "~day|month" })})`)],
    unit: unit.seconds,
    steps: steps("green", [thresholds.analyticsStale, "orange"], [thresholds.closedMonthStale, "red"]),
  });
}

/** Whether any answer was cut. */
export function cut(id: number): PlacedPanel {
  return stat({
    id,
    title: "Cut answers",
    width: 4,
    shows: "Queries that have more rows than the gateway answers (1000).",
    read: "0 is good. Totals are right either way, but some of what belongs to a name is in _other.",
    act: "Nothing can be done about it here; read _other as what it is.",
    empty: NOT_ASKED,
    queries: [instant(promql`sum(max by (job, query) (${ofJob(queryFamilies.truncated)}))`)],
    unit: unit.count,
    steps: steps("green", [1, "orange"]),
  });
}
