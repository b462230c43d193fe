import { expect, test } from "vitest";
import { stringify } from "yaml";

import { budgetFamilies } from "../../../exporter/budgets/families.ts";
import { keyFamilies } from "../../../exporter/collectors/key-families.ts";
import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import { testRules } from "../../support/promtool.ts";
import { describeWithTools } from "../../support/tools.ts";
import { exposed } from "./cases/alert-case.ts";
import type { InputSeries } from "./input-series.ts";

const STOPS_NOTHING = "The gateway does not stop the spending: find out";

/** The texts of an alert, and the series that fire it. */
const CASES: Readonly<Record<string, { series: readonly InputSeries[]; texts: readonly string[] }>> = {
  AIGatewayBudgetExceeded: {
    series: [
      ...budget("few", "keys", "day"),
      ...budget("large", "model", "month"),
      ...budget("chat", "app", "total"),
      ...budget("all", "account", "week"),
      ...budget("prepaid", "account", "total"),
    ],
    texts: [
      `few is exceeded: 120% of its limit is spent, and its window (day) has not ended. ${STOPS_NOTHING} which of its keys spends most, or`,
      `large is exceeded: 120% of its limit is spent, and its window (month) has not ended. ${STOPS_NOTHING} which key or app uses the model most, or`,
      `chat is exceeded: 120% of its limit is spent. ${STOPS_NOTHING} which model of the app costs most, or`,
      `all is exceeded: 120% of its limit is spent, and its window (week) has not ended. ${STOPS_NOTHING} which key of the account spends most, or`,
      `prepaid is exceeded: 120% of its limit is spent. If the limit is what the account bought, every call fails (402)`,
    ],
  },
  AIGatewayKeyExpiresSoon: {
    series: [...expiring("old", -8 * 3600), ...expiring("new", 10 * 3600)],
    texts: ["Key old expired 9h 0m 0s ago, so its calls fail (401)", "Key new expires in 9h 0m 0s; then"],
  },
};

/** The groups of these alerts, and the one that they read. */
const GROUPS = /^aigateway-(budgets|key-inputs|key-state)$/;

describeWithTools(["promtool2", "promtool3"], "the text of an alert", (tools) => {
  test.each(Object.entries(tools))("is true in each case, with %s", async (_, promtool) => {
    const document = {
      rule_files: ["rules.yaml"],
      evaluation_interval: "1m",
      tests: Object.entries(CASES).map(([alertname, { series }]) => ({
        interval: "1m",
        input_series: series,
        alert_rule_test: [{ eval_time: "60m", alertname, exp_alerts: [] }],
      })),
    };
    const rules = renderRuleFile(createRules().filter(({ name }) => GROUPS.test(name)));
    // No alert is expected, so promtool prints those that fire.
    const { output } = await testRules(promtool, stringify(document, { lineWidth: 0 }), {
      "rules.yaml": rules,
    });
    for (const text of Object.values(CASES).flatMap(({ texts }) => texts)) expect(output).toContain(text);
  });
});

function budget(name: string, scope: string, window: string): readonly InputSeries[] {
  return [
    exposed(budgetFamilies.info, { budget: name, scope, window, team: "" }, () => 1),
    exposed(budgetFamilies.limit, { budget: name }, () => 100),
    exposed(budgetFamilies.spent, { budget: name }, () => 120),
    exposed(budgetFamilies.windowStart, { budget: name }, () => -3600),
  ];
}

function expiring(key: string, seconds: number): readonly InputSeries[] {
  return [
    exposed(keyFamilies.ownerInfo, { key, team: "", project: "", cost_center: "" }, () => 1),
    exposed(keyFamilies.expiry, { key }, () => seconds),
  ];
}
