import { expect, test } from "vitest";
import { stringify } from "yaml";

import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import { testRules } from "../../support/promtool.ts";
import { describeWithTools } from "../../support/tools.ts";
import { simulateKey } from "./simulated-key.ts";

/** 100 credits at 60 an hour: the page fires at minute 63. The last answer for one of the keys arrives at minute 70. */
const key = { team: "payments", limit: 100, reset: "daily", spend: () => 1 } as const;
const series = [
  { ...key, name: "batch", answers: (minute: number) => minute <= 70 },
  { ...key, name: "dry" },
].flatMap((one) => simulateKey(one, 131).series);

/** What the page depends on. */
const GROUPS = /^aigateway-key-(inputs|history|days|forecast|credits)$/;

/** The beginning of a page's text at a minute. The two versions of Prometheus differ by a minute in the time that is left. */
const TEXTS = [
  {
    at: 110,
    text: "Key dry (team payments) is out of credits, and the gateway refuses its calls (402) until its limit resets or is raised. Find out",
  },
  { at: 65, text: "Key batch (team payments) runs out of credits in 3" },
  {
    at: 130,
    text: "Key batch (team payments) was out of credits, or about to be, when the gateway last answered, 1h 0m 0s ago; its limit has not reset since. Find out",
  },
];

describeWithTools(["promtool2", "promtool3"], "the text of a page", (tools) => {
  test.each(Object.entries(tools))(
    "shows the age of the last answer, with %s",
    async (_, promtool) => {
      const alerts = TEXTS.map(({ at }) => ({
        eval_time: `${at}m`,
        alertname: "AIGatewayKeyExhaustionImminent",
        exp_alerts: [],
      }));
      const document = {
        rule_files: ["rules.yaml"],
        evaluation_interval: "1m",
        tests: [{ interval: "1m", input_series: series, alert_rule_test: alerts }],
      };
      const rules = renderRuleFile(createRules().filter(({ name }) => GROUPS.test(name)));
      // No alert is expected, so promtool prints those that fire.
      const { output } = await testRules(promtool, stringify(document, { lineWidth: 0 }), {
        "rules.yaml": rules,
      });
      for (const { text } of TEXTS) expect(output).toContain(text);
    },
    120_000,
  );
});
