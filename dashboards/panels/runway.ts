import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { steps } from "../board/color.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { labelColumn, table, valueColumn, valueTexts } from "../board/table.ts";
import { unit } from "../board/unit.ts";
import { ofJob, ofTeam, perKey } from "../expressions/scope.ts";
import { verdict, verdictTexts } from "../expressions/verdict.ts";
import { promql, type Series } from "../promql.ts";
import { recorded } from "../rules/series.ts";
import { thresholds } from "../thresholds.ts";
import { keyLink } from "./alerts.ts";

/** Colours of the share of a limit that is used. */
export const usedSteps = steps(
  "green",
  [1 - thresholds.low, "orange"],
  [1 - thresholds.exhaustedRatio, "red"],
);

/** Colours of the time that credits last. */
export const lastsSteps = steps(
  "red",
  [thresholds.imminent, "orange"],
  [thresholds.predicted, "yellow"],
  [thresholds.slow, "green"],
);

const never = ofJob(families.limitReset, { aigateway_key_limit_reset: "never" });
const remaining = perKey(ofJob(families.remaining));
const limit = perKey(ofJob(families.limit));

const ofRecorded = (series: Series, factor = 1) => ofTeam(`(${ofJob(series)} * ${factor})`);

/** Per key: what is left, how fast it goes, and whether it lasts until the reset. */
export function runway(id: number): PlacedPanel {
  return table({
    id,
    title: "Runway of keys",
    width: 24,
    shows:
      "Each key: what it may spend, what is left of it, how fast it goes, and whether it lasts until the limit starts anew.",
    read: "Worst first. Lasts is what is left divided by the burn of the last hour; it is empty while nothing is spent. An empty cell is not known, which is neither 0 nor unlimited.",
    act: "Follow a key's name. Then raise its limit, slow its caller down, or wait for the reset.",
    empty: "No key is watched",
    columns: [
      labelColumn("key", "Key", { width: 170, link: keyLink }),
      labelColumn("team", "Team", {}),
      valueColumn("Owner", ofTeam(`max by (job, key, team) (${ofJob(families.ownerInfo)})`), unit.none, {
        hidden: true,
      }),
      valueColumn("Verdict", verdict, unit.none, {
        width: 170,
        cell: "background",
        steps: steps("text"),
        mappings: [valueTexts(verdictTexts("transparent"))],
      }),
      valueColumn("Used", ofTeam(promql`(1 - ${remaining} / (${limit} > 0))`), unit.ratio, {
        width: 220,
        cell: "gauge",
        steps: usedSteps,
      }),
      valueColumn("Left", ofTeam(`round(${remaining}, 0.01)`), unit.credits, {}),
      valueColumn(
        "Limit",
        ofTeam(promql`(${limit} or (${perKey(ofJob(families.unlimited))} == 1) * Inf)`),
        unit.credits,
        {
          mappings: [valueTexts({ Infinity: { text: "unlimited" } })],
        },
      ),
      valueColumn("Burn per hour", ofRecorded(recorded.burn1h, 3600), unit.credits, {}),
      valueColumn("Burn per day", ofRecorded(recorded.burn1d, 86_400), unit.credits, {}),
      valueColumn("Lasts", ofRecorded(recorded.exhaustion1h), unit.duration, {
        cell: "text",
        steps: lastsSteps,
      }),
      valueColumn(
        "Next reset",
        ofTeam(promql`(1000 * ${perKey(ofJob(families.nextReset))} or (${perKey(never)} == 1) * Inf)`),
        unit.fromNow,
        { mappings: [valueTexts({ Infinity: { text: "never" } })] },
      ),
    ],
    hidden: ["job"],
    sortBy: [
      { title: "Verdict", desc: true },
      { title: "Used", desc: true },
    ],
  });
}
