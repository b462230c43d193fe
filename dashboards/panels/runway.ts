import { keyFamilies as families, layerFamilies } from "../../exporter/collectors/key-families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { thresholds as forecastThresholds } from "../../exporter/forecast/thresholds.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { labelColumn, table, valueColumn, valueTexts } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { ofJob, ofTeam, perKey } from "../expressions/scope.ts";
import { lasts, lastsTexts, verdict, verdictCells } from "../expressions/verdict.ts";
import { promql } from "../promql.ts";
import { thresholds } from "../thresholds.ts";
import { keyLink } from "./alerts.ts";

/** Colours of the used share of a limit. */
export const usedSteps = steps(
  "green",
  [1 - thresholds.low, "orange"],
  [1 - forecastThresholds.exhaustedRatio, "red"],
);

const never = ofJob(families.limitReset, { aigateway_key_limit_reset: "never" });
const remaining = perKey(ofJob(families.remaining));
const limit = perKey(ofJob(families.limit));

/** What a key without a limit of its own can still spend of its budgets. */
const ofBudgets = perKey(ofJob(layerFamilies.spendable, { bounded_by: "!~account" }));

/** Texts of limits that are no amount. */
export const limitTexts = { Infinity: { text: "unlimited" }, "-1": { text: "by a budget" } };

const burn = (window: "1h" | "1d", factor: number) =>
  ofTeam(`(${perKey(ofJob(forecastFamilies.keyBurn, { window }))} * ${factor})`);

/** For each key: the remaining credits, the burn rate, and whether the credits last until the reset. */
export function runway(id: number): PlacedPanel {
  return table({
    id,
    title: "Runway of keys",
    width: 24,
    shows:
      "For each key: its limit, the remaining credits, the burn rate, and whether the credits last until the reset.",
    read: "Most urgent first. Verdict and Lasts are the exporter's forecast, which the alerts use too. Learning: the exporter does not know yet how fast the key spends. An empty cell means unknown, which is neither 0 nor unlimited.",
    act: "Click a key to see its details. Then raise its limit, slow its caller down, or wait for the reset.",
    empty: "No key of this selection is monitored, or Prometheus does not scrape the exporter",
    columns: [
      labelColumn("key", "Key", { width: 150, link: keyLink }),
      labelColumn("team", "Team", { width: 110 }),
      valueColumn(
        "Owner",
        ofTeam(`max by (job, gateway, key, team) (${ofJob(families.ownerInfo)})`),
        unit.none,
        {
          hidden: true,
        },
      ),
      valueColumn("Verdict", verdict, unit.none, {
        width: 160,
        cell: "background",
        steps: steps("text"),
        mappings: [valueTexts(verdictCells)],
      }),
      valueColumn("Used", ofTeam(promql`(1 - ${remaining} / (${limit} > 0))`), unit.ratio, {
        width: 130,
        cell: "gauge",
        steps: usedSteps,
      }),
      valueColumn("Left", ofTeam(`round(${remaining} or ${ofBudgets}, 0.01)`), unit.credits),
      valueColumn(
        "Limit",
        ofTeam(
          promql`(${limit} or (${perKey(ofJob(families.unlimited))} == 1) * Inf or ${ofBudgets} * 0 - 1)`,
        ),
        unit.credits,
        {
          mappings: [valueTexts(limitTexts)],
        },
      ),
      valueColumn("Burn per hour", burn("1h", 1), unit.credits),
      valueColumn("Burn per day", burn("1d", 24), unit.credits),
      valueColumn("Lasts", lasts, unit.duration, { width: 190, mappings: [valueTexts(lastsTexts)] }),
      valueColumn(
        "Next reset",
        ofTeam(
          promql`(1000 * ${perKey(ofJob(families.nextReset))} or (${perKey(never)} == 1 and on (job, gateway, key) ${limit}) * Inf)`,
        ),
        unit.fromNow,
        { mappings: [valueTexts({ Infinity: { text: "never" } })] },
      ),
    ],
    hidden: ["job", "gateway"],
    sortBy: [
      { title: "Verdict", desc: true },
      { title: "Used", desc: true },
    ],
  });
}
