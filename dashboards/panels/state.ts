import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { steps } from "../board/color.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { instant } from "../board/query.ts";
import { stat } from "../board/stat.ts";
import { unit } from "../board/unit.ts";
import { spent } from "../expressions/spend.ts";
import { ofJob, ofTeam, perKey } from "../expressions/scope.ts";
import { keysInDanger } from "../expressions/verdict.ts";
import { promql } from "../promql.ts";
import { thresholds } from "../thresholds.ts";

const NO_KEYS = "no keys";

/** Keys on which somebody has to act. */
export function danger(id: number): PlacedPanel {
  return stat({
    id,
    title: "Keys in danger",
    width: 3,
    shows: "Keys that are refused, have used up their limit, or will within a week and before its reset.",
    read: "0 is good. A rate counts when the last hour and the last six agree, as in the runway table.",
    act: "Their rows are the first ones of the runway table.",
    empty: NO_KEYS,
    queries: [instant(keysInDanger)],
    unit: unit.count,
    steps: steps("green", [1, "red"]),
  });
}

/** What the sums lack. */
export function notCounted(id: number): PlacedPanel {
  const known = promql`count${spent(keyFamilies.usageMonth)}`;
  const watched = promql`count(${ofTeam(perKey(ofJob(keyFamilies.ownerInfo)))})`;
  return stat({
    id,
    title: "Keys not counted",
    width: 3,
    shows: "Keys whose spend this month is not known; the sums at the left are without them.",
    read: "0 is good: the sums are whole. Otherwise they are lower bounds.",
    act: "See in the runway table which they are, and in Exporter health why.",
    empty: NO_KEYS,
    queries: [instant(promql`${watched} - (${known} or ${watched} * 0)`)],
    unit: unit.count,
    steps: steps("green", [1, "orange"]),
  });
}

/** How old the oldest figures are. */
export function dataAge(id: number): PlacedPanel {
  const age = `time() - ${perKey(ofJob(keyFamilies.lastSuccess))}`;
  return stat({
    id,
    title: "Oldest data",
    width: 3,
    shows: "Time since the last good answer about the key that has waited longest.",
    read: "About the interval of the polls is good. Values that are too old are withdrawn, not repeated.",
    act: "Above a quarter of an hour see Exporter health: the gateway, a key or the network fails.",
    empty: "no answer yet",
    queries: [instant(promql`max(${ofTeam(`(${age})`)})`)],
    unit: unit.seconds,
    steps: steps("green", [thresholds.keyStale, "orange"], [thresholds.analyticsStale, "red"]),
  });
}
