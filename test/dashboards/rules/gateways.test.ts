import { describe, expect, test } from "vitest";
import { dashboards } from "../../../dashboards/index.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import { isAlert } from "../../../dashboards/rules/rule.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { describeWithTools } from "../../support/tools.ts";
import type { InputSeries } from "./input-series.ts";
import { simulateKey } from "./simulated-key.ts";
import { failuresOf, firing, silent } from "./story.ts";

const FOLD = /\b(?:by|on) \(([^)]*)\)/g;

const MINUTES = 240;

describe("the rules for several gateways", () => {
  const rules = createRules().flatMap((group) => group.rules);
  const named = rules.map((rule) => ({ name: isAlert(rule) ? rule.alert : rule.record, expr: rule.expr }));

  test.each(named)("fold and join by gateway: $name", ({ expr }) => {
    const folds = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].map(([, labels = ""]) => labels.split(", "));
    expect(folds.filter((labels) => labels.includes("job") && !labels.includes("gateway"))).toEqual([]);
  });
});

test.each(dashboards)("$title folds and joins by gateway", ({ json }) => {
  expect(withoutGateway(json)).toEqual([]);
});

function withoutGateway(text: string): readonly string[] {
  const folds = [...text.matchAll(FOLD)].map(([, labels = ""]) => labels);
  return folds.filter((labels) => /\bjob\b/.test(labels) && !/\bgateway\b/.test(labels));
}

describeWithTools(["promtool3"], "two gateways with a key of the same name", ({ promtool3 }) => {
  test("each alert names the gateway, and neither hides the other's", async () => {
    const series = [...keyAt("first", 1), ...keyAt("second", 0.05)];
    const alert = {
      alertname: "AIGatewayKeyExhaustionImminent",
      job: JOB,
      key: "billing",
      severity: "critical",
    };
    const expectations = [
      silent("gateway=second", "AIGatewayKey.+", 0, 200),
      firing("key=billing", 120, alert.alertname, [{ ...alert, gateway: "first", team: "payments" }]),
    ];
    expect(await failuresOf(promtool3, series, expectations, 1)).toEqual([]);
  });
});

/** A key with 100 credits a day that spends at this rate per minute. */
function keyAt(gateway: string, rate: number): readonly InputSeries[] {
  const key = { name: "billing", team: "payments", limit: 100, reset: "daily", spend: () => rate } as const;
  return simulateKey(key, MINUTES).series.map(({ series, values }) => ({
    series: series.replace("{", `{gateway="${gateway}",`),
    values,
  }));
}
