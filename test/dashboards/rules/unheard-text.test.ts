import { expect, test } from "vitest";
import { stringify } from "yaml";

import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import { testRules } from "../../support/promtool.ts";
import { describeWithTools } from "../../support/tools.ts";
import { simulateKey } from "./simulated-key.ts";

/** 100 credits at 60 an hour: the page fires at minute 63, and the last answer arrives at minute 70. */
const { series } = simulateKey(
  {
    name: "batch",
    team: "payments",
    limit: 100,
    reset: "daily",
    spend: () => 1,
    answers: (minute) => minute <= 70,
  },
  131,
);

/** What the page depends on. */
const GROUPS = /^aigateway-key-(inputs|history|days|forecast|credits)$/;

/** The beginning of the page's text at a minute. The two versions of Prometheus differ by a minute in the time that is left. */
const TEXTS = [
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
