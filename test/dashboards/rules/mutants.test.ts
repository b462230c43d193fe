import { expect, test } from "vitest";
import { createRules } from "../../../dashboards/rules/index.ts";
import { describeWithTools } from "../../support/tools.ts";
import { listMutants, noticedBy, SUITES } from "./mutants.ts";

describeWithTools(["alertsim", "promtool3"], "rules without a clause", ({ alertsim, promtool3 }) => {
  test("listMutants removes operands and comparisons, one at a time", () => {
    const rules = [
      { record: "x", expr: 'max by (job) (a > 1) and b == 1 unless c{d="e"} or f', comment: "X." },
    ];
    const mutants = listMutants(alertsim, [{ name: "g", comment: "G.", interval: "1m", rules }]);
    expect(mutants.map(({ without, expr }) => [without, expr])).toEqual([
      ["> 1", 'max by (job) (a) and b == 1 unless c{d="e"} or f'],
      ["== 1", 'max by (job) (a > 1) and b unless c{d="e"} or f'],
      ["and b == 1", 'max by (job) (a > 1) unless c{d="e"} or f'],
      ["max by (job) (a > 1) and", 'b == 1 unless c{d="e"} or f'],
      ['unless c{d="e"}', "max by (job) (a > 1) and b == 1 or f"],
      ["or f", 'max by (job) (a > 1) and b == 1 unless c{d="e"}'],
      ['max by (job) (a > 1) and b == 1 unless c{d="e"} or', "f"],
    ]);
  });

  test("noticedBy names the stories that need a clause, and none for a rule that means the same", async () => {
    const [cases] = SUITES;
    const groups = createRules();
    const mutants = listMutants(alertsim, groups).filter(({ rule }) => rule === "AIGatewayBudgetExceeded");
    const same = groups
      .flatMap(({ rules }) => rules)
      .find((rule) => "alert" in rule && rule.alert === "AIGatewayBudgetExceeded");
    expect(mutants.map(({ without }) => without)).toEqual(["> 1"]);
    const noticed = mutants.map((mutant) => noticedBy(promtool3, groups, mutant, cases ? [cases] : []));
    expect(await Promise.all(noticed)).toEqual(["cases"]);
    const unchanged = { rule: "AIGatewayBudgetExceeded", without: "", expr: same?.expr ?? "" };
    expect(await noticedBy(promtool3, groups, unchanged, cases ? [cases] : [])).toBeUndefined();
  });
});
