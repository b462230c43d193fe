import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { layerFamilies, sharedLimitFamilies as families } from "../../exporter/collectors/key-families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { type Column, labelColumn, table, valueColumn, valueTexts } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { ofJob, perKey } from "../expressions/scope.ts";
import { outlookVerdict, verdictCells } from "../expressions/verdict.ts";
import { promql, type Series } from "../promql.ts";
import { thresholds } from "../thresholds.ts";
import { keyLink } from "./alerts.ts";

const perBudget = (series: Series) => `max by (job, gateway, source, id) (${ofJob(series)})`;
const share = promql`${perBudget(families.spent)} / (${perBudget(families.limit)} > 0)`;

/** The budgets at the gateway that several keys share. */
export function sharedLimits(id: number): PlacedPanel {
  return table({
    id,
    title: "Budgets that several keys share",
    width: 24,
    shows: "The budgets of members and workspaces at the gateway, each of which can stop all of its keys.",
    read: "Most urgent first. Source is the kind of the budget. The verdict is the exporter's forecast, by what all its keys spend. At 0 left the gateway refuses their calls (403) until the reset.",
    act: "Find the key that spends, or raise the budget at the gateway.",
    empty: "No key is bound by a shared budget, or the gateway does not report budgets",
    columns: [
      labelColumn("source", "Source", { width: 210 }),
      labelColumn("id", "Budget", { width: 300 }),
      valueColumn(
        "Verdict",
        outlookVerdict((state) => {
          const outlook = ofJob(forecastFamilies.sharedOutlook, { aigateway_shared_limit_outlook: state });
          return `max by (job, gateway, source, id) (${outlook})`;
        }),
        unit.none,
        { width: 170, cell: "background", steps: steps("transparent"), mappings: [valueTexts(verdictCells)] },
      ),
      valueColumn("Left", perBudget(families.remaining), unit.credits),
      valueColumn("Limit", perBudget(families.limit), unit.credits),
      valueColumn("Used", share, unit.ratio, {
        width: 180,
        cell: "gauge",
        steps: steps("green", [1 - thresholds.low, "orange"], [1, "red"]),
      }),
      valueColumn("Used up", `1000 * ${perBudget(forecastFamilies.sharedExhaustion)}`, unit.fromNow),
      valueColumn("Resets", `1000 * ${perBudget(families.nextReset)}`, unit.fromNow),
      valueColumn(
        "Keys",
        promql`count by (job, gateway, source, id) (max by (job, gateway, source, id, key) (${ofJob(layerFamilies.sharedInfo)}))`,
        unit.count,
      ),
    ],
    hidden: ["job", "gateway"],
    sortBy: [{ title: "Verdict", desc: true }],
  });
}

const finding = (matchers: { readonly finding?: string }) =>
  `max by (job, gateway, key, finding) (${ofJob(discoveryFamilies.finding, matchers)})`;
const findings = promql`count by (job, gateway, key) (${finding({})})`;

/** Listed keys that are dangerous if they leak. */
export function keyHygiene(id: number): PlacedPanel {
  return table({
    id,
    title: "Keys at risk",
    width: 24,
    shows: "Listed keys with no limit of their own, with no expiry, or not used for 90 days.",
    read: "Most findings first. Whoever finds such a key can spend much, for long, or unnoticed. Disabled keys do not count, nor do fields that the gateway does not send.",
    act: "Give them a limit or an expiry, and delete those that nobody needs.",
    empty: "No listed key has such a finding, or no keys are listed (discovery)",
    columns: [
      labelColumn("key", "Key", { width: 300, link: keyLink }),
      found("No limit", "no_limit"),
      found("No expiry", "no_expiry"),
      found("Not used", "unused"),
      valueColumn("Findings", findings, unit.count),
      valueColumn(
        "Credits this month",
        promql`(${perKey(ofJob(keyFamilies.usageMonth))} and on (job, gateway, key) ${findings})`,
        unit.credits,
      ),
    ],
    hidden: ["job", "gateway"],
    sortBy: [
      { title: "Findings", desc: true },
      { title: "Credits this month", desc: true },
    ],
  });
}

function found(title: string, label: string): Column {
  return valueColumn(title, `max by (job, gateway, key) (${finding({ finding: label })})`, unit.none, {
    cell: "text",
    steps: steps("text"),
    mappings: [valueTexts({ 1: { text: "yes", color: "orange" } })],
  });
}
