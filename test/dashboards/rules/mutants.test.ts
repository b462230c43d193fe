import { expect, test } from "vitest";
import { createRules } from "../../../dashboards/rules/index.ts";
import { isAlert, type RuleGroup } from "../../../dashboards/rules/rule.ts";
import { describeWithTools } from "../../support/tools.ts";
import { seriesOf } from "./input-series.ts";
import { listMutants, type Mutant, SUITES, verdictsOf } from "./mutants.ts";

describeWithTools(["alertsim"], "rules without a clause", ({ alertsim }) => {
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

  test("verdictsOf names the stories that need a clause, and none for a rule that means the same", async () => {
    const groups = createRules();
    const [mutant, ...others] = listMutants(alertsim, groups).filter(
      ({ rule }) => rule === "AIGatewayBudgetExceeded",
    );
    expect([mutant?.without, others]).toEqual(["> 1", []]);
    const rule = groups
      .flatMap(({ rules }) => rules)
      .find((one) => isAlert(one) && one.alert === mutant?.rule);
    const unchanged = { rule: "AIGatewayBudgetExceeded", without: "nothing", expr: rule?.expr ?? "" };
    const many = {
      rule: "AIGatewayBudgetExceeded",
      without: "labels",
      expr: "aigateway_budget_limit_credits + on () aigateway_budget_limit_credits",
    };
    expect(
      await byOf(
        groups,
        [mutant, unchanged, many].flatMap((one) => one ?? []),
      ),
    ).toEqual({
      "> 1": "cases",
      nothing: "",
      labels: "an error of the evaluation",
    });
  });

  test("verdictsOf fails if the complete rules do not meet a story", async () => {
    const never = createRules().map((group) => ({
      ...group,
      rules: group.rules.map((rule) => (isAlert(rule) ? { ...rule, expr: "vector(1) > 2" } : rule)),
    }));
    const mutant = { rule: "AIGatewayBudgetExceeded", without: "", expr: "up" };
    await expect(byOf(never, [mutant])).rejects.toThrow(/Cannot run the stories: .*a story is not met/s);
  });

  test("a clause of a recording rule is noticed by what depends on it", async () => {
    const mutants = listMutants(alertsim, createRules());
    const some = mutants.filter(({ rule }) => rule === "key:aigateway_limit_remaining_credits:nearly_out");
    expect(await byOf(createRules(), some)).toEqual({
      "<= 0.005 * (key:aigateway_limit_credits:latest > 0)": "cases",
      "> 0": "",
    });
  });

  test("a rule reads only earlier results of the rules after it, also of series that a story gives", async () => {
    const rules = [
      { record: "early", expr: "sum by (key) (late)", comment: "E." },
      { record: "late", expr: "source", comment: "L." },
    ];
    const minutes = Array.from({ length: 10 }, (_, minute) => minute);
    const parts = ["1", "2", "3", "4"];
    const story = {
      title: "parts",
      subject: "key=a",
      series: [
        ...parts.map((part) => seriesOf("source", { key: "a", part }, minutes)),
        // From minute 1 on, so that the rule records this part before the others.
        seriesOf("late", { key: "a", part: "1" }, [null, 1]),
      ],
      expect: [{ at: 8, expr: "early", samples: [{ labels: 'early{key="a"}', value: 4 * 7 }] }],
    };
    const groups = [{ name: "aigateway-key-order", comment: "O.", interval: "1m", rules }];
    const unchanged = { rule: "early", without: "nothing", expr: "sum by (key) (late)" };
    const suites = [{ name: "parts", stories: [story], step: 1 }];
    expect(await byOf(groups, [unchanged], suites)).toEqual({ nothing: "" });
  });

  test("verdictsOf fails if no story of the suites is about a rule", async () => {
    const [mutant] = listMutants(alertsim, createRules());
    await expect(
      byOf(
        createRules(),
        [mutant].flatMap((one) => one ?? []),
        [],
      ),
    ).rejects.toThrow(`No story of the suites is about ${mutant?.rule}`);
  });

  /** What noticed each mutant, by default of the cases alone, by the clause that is left out. */
  async function byOf(
    groups: readonly RuleGroup[],
    mutants: readonly Mutant[],
    suites = SUITES.slice(0, 1),
  ): Promise<object> {
    const found: Record<string, string> = {};
    for await (const { without, by } of verdictsOf(alertsim, groups, mutants, suites)) found[without] = by;
    return found;
  }
});
