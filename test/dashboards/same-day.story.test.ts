import { expect, test } from "vitest";
import { stringify } from "yaml";
import { samePointOfLastMonth } from "../../dashboards/expressions/spend.ts";
import { JOB } from "../../dashboards/rules/settings.ts";
import { DAY_MS } from "../../exporter/time/window.ts";
import { testRules } from "../support/promtool.ts";
import { describeWithTools } from "../support/tools.ts";

/** The spend of last month: one credit a day, and two a day since. In a graph, the range begins with the month. */
function query(last: string, month: string, day: string, value: number): object {
  const [lastMs = 0, monthMs = 0, dayMs = 0] = [last, month, day].map((text) => Date.parse(text));
  const before = Array.from({ length: days(lastMs, monthMs) }, (_, one) => one);
  const since = Array.from({ length: 31 }, (_, one) => 2 * one);
  return {
    interval: "1d",
    start_timestamp: `${last}T00:00:00Z`,
    input_series: [
      series("usage_month_credits", [...before, ...since].join(" ")),
      series("owner_info", `1x${before.length + since.length}`),
    ],
    promql_expr_test: [
      {
        eval_time: `${days(lastMs, dayMs)}d`,
        expr: samePointOfLastMonth
          .replaceAll(/\$\w+/g, ".*")
          .replaceAll("@ start()", `@ ${monthMs / 1000 - 60}`),
        exp_samples: [{ labels: "{}", value }],
      },
    ],
  };
}

function days(fromMs: number, toMs: number): number {
  return Math.round((toMs - fromMs) / DAY_MS);
}

function series(name: string, values: string): object {
  return { series: `aigateway_key_${name}{job="${JOB}",key="k",team="t"}`, values };
}

describeWithTools(["promtool3"], "last month on the same day", ({ promtool3 }) =>
  test("is the whole month on a day that it did not have", async () => {
    const tests = [
      query("2026-02-01", "2026-03-01", "2026-03-28", 27),
      query("2026-02-01", "2026-03-01", "2026-03-29", 27),
      query("2026-02-01", "2026-03-01", "2026-03-31", 27),
      query("2026-04-01", "2026-05-01", "2026-05-31", 29),
      query("2026-10-01", "2026-11-01", "2026-11-30", 29),
    ];
    const { ok, output } = await testRules(promtool3, stringify({ tests }, { lineWidth: 0 }), {});
    expect(ok ? "" : output).toBe("");
  }),
);
