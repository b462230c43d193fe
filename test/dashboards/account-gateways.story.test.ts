import { expect, test } from "vitest";
import { stringify } from "yaml";
import { spendPerDay, unwatchedShare } from "../../dashboards/expressions/account-spend.ts";
import { testRules } from "../support/promtool.ts";
import { describeWithTools } from "../support/tools.ts";

/** A day and some hours, in steps of five minutes. */
const STEPS = 320;

const constant = (name: string, gateway: string, value: number, labels = "") => ({
  series: `aigateway_${name}{job="exporter",gateway="${gateway}"${labels}}`,
  values: `${value}x${STEPS}`,
});
const PAIR = ',model="acme/one",app="Chat"';

/** The unwatched spend of the first account is known, that of the second is not. */
const SERIES = [
  constant("usage_month_credits", "first", 8, PAIR),
  constant("usage_month_credits", "second", 100, PAIR),
  constant("unwatched_month_credits", "first", 2),
  constant("usage_last_day_credits", "first", 8, PAIR),
  constant("usage_last_day_credits", "second", 100, PAIR),
  constant("unwatched_day_credits", "first", 2),
];

describeWithTools(
  ["promtool3"],
  "unwatched spend of two accounts, one of which is not known",
  ({ promtool3 }) => {
    test.each([
      ["the share this month", unwatchedShare, 0.25],
      ["watched per day", spendPerDay.watched, 6],
      ["unwatched per day", spendPerDay.unwatched, 2],
      ["not divided per day", spendPerDay.undivided, 100],
    ])("%s concerns each account alone", async (_, expr, value) => {
      const document = {
        rule_files: [],
        tests: [
          {
            interval: "5m",
            input_series: SERIES,
            promql_expr_test: [
              {
                expr: expr.replaceAll(/\$(job|gateway)\b/g, ".*"),
                eval_time: "0m",
                exp_samples: [{ labels: "{}", value }],
              },
              // Bars look ahead, and promtool stores no samples after the last evaluation.
              { expr: "vector(1)", eval_time: "26h", exp_samples: [{ labels: "{}", value: 1 }] },
            ],
          },
        ],
      };
      expect((await testRules(promtool3, stringify(document), {})).output).toContain("SUCCESS");
    });
  },
);
