import { type Html, html } from "./html.ts";
import type { BudgetGap, BudgetRow, SourceFault } from "../overview.ts";

/** Why something of a budget is missing: which of its keys, or that its query, cannot be relied on. */
export function gapText({ sources, faults, reason }: BudgetGap, scope: BudgetRow["scope"]["kind"]): Html {
  const found = FAULTS.filter((fault) => faults[fault] > 0);
  if (found.length === 0) return html`the gateway tells only a part of it`;
  const parts = found.map((fault, index) => {
    const count = faults[fault];
    const verb = VERBS[fault][count === 1 ? "one" : "many"];
    const why = fault === "failing" && reason !== undefined ? html` <code>${reason}</code>` : undefined;
    return html`${index === 0 ? "" : ", "}${subject(count, sources, scope)} ${verb}${why}`;
  });
  return html`${parts}`;
}

const FAULTS = ["failing", "waiting", "early", "old"] as const satisfies readonly SourceFault[];

const VERBS = {
  failing: { one: "is failing", many: "are failing" },
  waiting: { one: "was not polled yet", many: "were not polled yet" },
  early: { one: "has not told of this window yet", many: "have not told of this window yet" },
  old: { one: "has not answered lately", many: "have not answered lately" },
} as const satisfies Record<SourceFault, { one: string; many: string }>;

function subject(count: number, sources: number, scope: BudgetRow["scope"]["kind"]): string {
  if (scope !== "keys") return "its query";
  return sources === 1 ? "its key" : `${count} of ${sources} keys`;
}
