import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { instant } from "../builder/query.ts";
import { stat } from "../builder/stat.ts";
import { unit } from "../builder/unit.ts";
import { spent } from "../expressions/spend.ts";
import { ofJob, ofTeam, perKey } from "../expressions/scope.ts";
import { keysInDanger } from "../expressions/verdict.ts";
import { promql } from "../promql.ts";
import { thresholds } from "../thresholds.ts";

const NO_KEYS = "no keys";

/** Number of keys that need action. */
export function danger(id: number): PlacedPanel {
  return stat({
    id,
    title: "Keys in danger",
    width: 4,
    shows: "Keys that the gateway refuses, that are exhausted, or that run out before their reset.",
    read: "0 is good. Keys whose verdict is unknown or learning are not counted.",
    act: "See the first rows of the runway table.",
    empty: NO_KEYS,
    queries: [instant(keysInDanger)],
    unit: unit.count,
    steps: steps("green", [1, "red"]),
  });
}

/** Number of keys that the sums lack. */
export function notCounted(id: number): PlacedPanel {
  const known = promql`count${spent(keyFamilies.usageMonth)}`;
  const watched = promql`count(${ofTeam(perKey(ofJob(keyFamilies.ownerInfo)))})`;
  return stat({
    id,
    title: "Keys not counted",
    width: 4,
    shows: "Keys whose spend this month is unknown; the sums on the left do not include them.",
    read: "0 is good: the sums are complete. Otherwise they are lower bounds.",
    act: "The runway table shows which keys, and Exporter health shows why.",
    empty: NO_KEYS,
    queries: [instant(promql`${watched} - (${known} or ${watched} * 0)`)],
    unit: unit.count,
    steps: steps("green", [1, "orange"]),
  });
}

/** Age of the oldest figures. */
export function dataAge(id: number): PlacedPanel {
  const age = `time() - ${perKey(ofJob(keyFamilies.lastSuccess))}`;
  return stat({
    id,
    title: "Oldest data",
    width: 4,
    shows: "Age of the last good answer for the key with the oldest data.",
    read: "About one poll interval is good. The exporter withdraws values that are too old.",
    act: "Above 15 minutes, see Exporter health: the gateway, a key or the network fails.",
    empty: "no answer yet",
    queries: [instant(promql`max(${ofTeam(`(${age})`)})`)],
    unit: unit.seconds,
    steps: steps("green", [thresholds.keyStale, "orange"], [thresholds.analyticsStale, "red"]),
  });
}
