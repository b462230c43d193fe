import { expect, test } from "vitest";
import { stringify } from "yaml";
import { budgetFamilies } from "../../../exporter/budgets/families.ts";
import { accountFamilies } from "../../../exporter/collectors/account-families.ts";
import {
  keyFamilies,
  layerFamilies,
  sharedLimitFamilies,
} from "../../../exporter/collectors/key-families.ts";
import { forecastFamilies } from "../../../exporter/forecast/families.ts";
import { selfFamilies } from "../../../exporter/metrics/self-families.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import { testRules } from "../../support/promtool.ts";
import { describeWithTools } from "../../support/tools.ts";
import {
  type Course,
  eachMinute,
  exposed,
  forecastOfAccount,
  forecastOfBudget,
  forecastOfKey,
  forecastOfShared,
  since,
} from "./cases/alert-case.ts";
import { type InputSeries, seriesOf } from "./input-series.ts";
import { ownQueryFamilies } from "../../../exporter/collectors/analytics-families.ts";
import { unwatchedFamilies } from "../../../exporter/collectors/account-families.ts";
import { discoveryFamilies } from "../../../exporter/collectors/discovery-families.ts";

/** The texts of an alert, and the series that fire it. */
const CASES: Readonly<Record<string, { series: readonly InputSeries[]; texts: readonly string[] }>> = {
  AIGatewayBudgetExceeded: {
    series: budget("few", "keys", "day"),
    texts: [
      'Budget few is exceeded: 120.00 of 100.00 credits spent, ends in 7h 0m"',
      "few is exceeded. Find out what spends most",
    ],
  },
  AIGatewayBudgetThreshold: {
    series: [
      ...budget("few", "keys", "day"),
      exposed(
        budgetFamilies.threshold,
        { budget: "few", scope: "keys", window: "day", team: "", at: "80" },
        () => 0.8,
      ),
    ],
    texts: ['Budget few has reached 80 %: 120.00 of 100.00 credits spent, ends in 7h 0m"'],
  },
  AIGatewayBudgetForecastExceeded: {
    series: [
      ...budget("likely", "keys", "day", 70),
      exposed(forecastFamilies.budgetForecast, { budget: "likely" }, () => 130),
    ],
    texts: ['Budget likely will be at 130% of its limit: 70.00 of 100.00 credits spent, ends in 7h 0m"'],
  },
  AIGatewayKeyLimitLow: {
    series: [
      ...forecastOfKey("tight", { ...since(0, "learning"), isLow: true }),
      exposed(keyFamilies.remaining, { key: "tight" }, () => 0.31),
      exposed(keyFamilies.limit, { key: "tight" }, () => 5),
      exposed(keyFamilies.nextReset, { key: "tight" }, () => 7200),
    ],
    texts: ['Key tight: 0.31 of 5.00 credits left, resets in 1h 0m"'],
  },
  AIGatewayKeyFreeQuotaLow: {
    series: [
      exposed(keyFamilies.ownerInfo, { key: "free", team: "", project: "", cost_center: "" }, () => 1),
      exposed(keyFamilies.freeRequestsRemaining, { key: "free" }, () => 12),
      exposed(keyFamilies.freeRequestsLimit, { key: "free" }, () => 200),
    ],
    texts: ['Key free has 12 free requests left until 00:00 UTC"'],
  },
  AIGatewayAccountBalanceLow: {
    series: [
      exposed(accountFamilies.balance, {}, () => 12.3),
      exposed(accountFamilies.lowBalance, {}, () => 50),
      exposed(forecastFamilies.accountExhaustion, {}, () => 100_000),
    ],
    texts: ['The account: 12.30 credits left, out in 1d 2h 46m"'],
  },
  AIGatewayKeyExpiresSoon: {
    series: [...expiring("old", -8 * 3600), ...expiring("new", 10 * 3600)],
    texts: ['Key old expired 9h 0m 0s ago"', 'Key new expires in 9h 0m 0s"'],
  },
  AIGatewayKeyExhaustionPredicted: {
    series: [
      ...ending("docs", { left: 0.31, limit: 5, out: 33, reset: 412 }),
      ...ending("prepaid", { left: 0.31, limit: 5, out: 33 }),
      ...ending("silent", { limit: 5, out: 3 * 60, reset: 412 }),
      ...ending("spent", { left: -0.001, limit: 5, out: -10, reset: 412 }),
      ...ending("last", { left: 0.31, limit: 5, out: 0.5 }),
      ...ending("bare", {}),
    ],
    texts: [
      'Key docs: 0.31 of 5.00 credits left, out in 33m, resets in 6h 52m"',
      'Key prepaid: 0.31 of 5.00 credits left, out in 33m"',
      'Key silent will run out of credits within a day, out in 3h 0m, resets in 6h 52m"',
      'Key spent: 0.00 of 5.00 credits left, resets in 6h 52m"',
      'Key last: 0.31 of 5.00 credits left, out in 30s"',
      'Key bare will run out of credits within a day"',
    ],
  },
  AIGatewayAccountExhaustionImminent: {
    series: [
      ...forecastOfAccount(JOB, since(0, "imminent")),
      exposed(accountFamilies.balance, {}, () => 12.3),
    ],
    texts: ['The account: 12.30 credits left, out in 1d 2h 46m"', "The balance is about to be used up"],
  },
  AIGatewayKeyExhaustionSlow: {
    // The daily limit has less left, but the monthly guardrail ends first.
    series: [
      ...forecastOfKey("layered", since(0, "slow")),
      exposed(keyFamilies.ownerInfo, { key: "layered", team: "", project: "", cost_center: "" }, () => 1),
      exposed(keyFamilies.remaining, { key: "layered" }, () => 4.5),
      exposed(keyFamilies.limit, { key: "layered" }, () => 5),
      exposed(layerFamilies.remaining, { key: "layered", source: "key_limit" }, () => 4.5),
      exposed(layerFamilies.remaining, { key: "layered", source: "api_key" }, () => 4.8),
      exposed(layerFamilies.limit, { key: "layered", source: "api_key" }, () => 100),
      exposed(forecastFamilies.keyOutlookSource, { key: "layered", source: "api_key" }, () => 1),
      exposed(forecastFamilies.keyExhaustion, { key: "layered" }, () => 100_000),
    ],
    texts: ['Key layered (api_key): 4.80 of 100.00 credits left, out in 1d 2h 46m"'],
  },
  AIGatewayKeyExhausted: {
    // The guardrail refuses its calls, whatever its own limit has left.
    series: [
      ...forecastOfKey("blocked", since(0, "exhausted")).filter(
        ({ series }) => !series.includes("exhaustion_timestamp"),
      ),
      exposed(keyFamilies.ownerInfo, { key: "blocked", team: "", project: "", cost_center: "" }, () => 1),
      exposed(keyFamilies.remaining, { key: "blocked" }, () => 60),
      exposed(keyFamilies.limit, { key: "blocked" }, () => 100),
      exposed(layerFamilies.remaining, { key: "blocked", source: "api_key" }, () => 0),
      exposed(layerFamilies.limit, { key: "blocked", source: "api_key" }, () => 50),
      exposed(layerFamilies.nextReset, { key: "blocked", source: "api_key" }, () => 7200),
      exposed(forecastFamilies.keyOutlookSource, { key: "blocked", source: "api_key" }, () => 1),
    ],
    texts: ['Key blocked (api_key): 0.00 of 50.00 credits left, resets in 1h 0m"'],
  },
  AIGatewaySharedLimitExhaustionImminent: {
    series: [
      ...forecastOfShared("b1", since(0, "exhausted")),
      exposed(sharedLimitFamilies.remaining, { source: "workspace", id: "b1" }, () => -0.25),
      exposed(sharedLimitFamilies.limit, { source: "workspace", id: "b1" }, () => 500),
    ],
    texts: ['Budget workspace b1: -0.25 of 500.00 credits left"'],
  },
  AIGatewayUnwatchedSpend: {
    series: [
      exposed(unwatchedFamilies.day, {}, () => 3.2),
      exposed(discoveryFamilies.keys, { workspace: "default" }, () => 1),
      ...["known", "old-script", "laptop", "_other"].map((name, index) =>
        seriesOf(
          ownQueryFamilies.credits.name,
          { job: JOB, instance: "a:9853", query: "keys-day", api_key: name, model: "acme/one" },
          eachMinute(() => 9 - index),
        ),
      ),
      exposed(
        discoveryFamilies.info,
        { key: "known", api_key: "known", hash: "0123abcd", workspace: "default", source: "listing" },
        () => 1,
      ),
    ],
    texts: ['Keys that nobody watches have spent 3.20 credits today: old-script, laptop"'],
  },
  AIGatewayBudgetExhaustionPredicted: {
    series: [...budget("credits", "account", "total"), ...forecastOfBudget("credits", since(0, "slow"))],
    texts: ['Budget credits: -20.00 credits left, out in 1d 2h 46m"'],
  },
  AIGatewayKeyDataStale: {
    series: [
      exposed(selfFamilies.pollInterval, { collector: "key" }, () => 60),
      exposed(keyFamilies.ownerInfo, { key: "never", team: "", project: "", cost_center: "" }, () => 1),
      exposed(keyFamilies.up, { key: "never" }, () => 0),
      exposed(keyFamilies.ownerInfo, { key: "once", team: "", project: "", cost_center: "" }, () => 1),
      exposed(keyFamilies.lastSuccess, { key: "once" }, () => 0),
    ],
    texts: ["Key once has had no good answer for 1h 0m 0s", "Key never has had no good answer"],
  },
};

describeWithTools(["promtool3"], "the text of an alert", ({ promtool3 }) => {
  test("is true in each case", async () => {
    const document = {
      rule_files: ["rules.yaml"],
      evaluation_interval: "1m",
      tests: Object.entries(CASES).map(([alertname, { series }]) => ({
        interval: "1m",
        input_series: series,
        alert_rule_test: [{ eval_time: "60m", alertname, exp_alerts: [] }],
      })),
    };
    const rules = renderRuleFile(createRules());
    // No alert is expected, so promtool prints those that fire.
    const { output } = await testRules(promtool3, stringify(document, { lineWidth: 0 }), {
      "rules.yaml": rules,
    });
    for (const text of Object.values(CASES).flatMap(({ texts }) => texts)) expect(output).toContain(text);
  });
});

function budget(name: string, scope: string, window: string, spent = 120): readonly InputSeries[] {
  return [
    exposed(budgetFamilies.info, { budget: name, scope, window, team: "" }, () => 1),
    exposed(budgetFamilies.limit, { budget: name }, () => 100),
    exposed(budgetFamilies.spent, { budget: name }, () => spent),
    exposed(budgetFamilies.windowStart, { budget: name }, () => -3600),
    ...(window === "total" ? [] : [exposed(budgetFamilies.windowEnd, { budget: name }, () => 8 * 3600)]),
  ];
}

interface Ending {
  readonly left?: number;
  readonly limit?: number;
  /** Minutes after the alert. */
  readonly out?: number;
  readonly reset?: number;
}

/** A key that runs out within a day, of which only these figures are known at minute 60. */
function ending(key: string, { left, limit, out, reset }: Ending): readonly InputSeries[] {
  const [, ...others] = [0, left, limit, out, reset];
  const families = [
    keyFamilies.remaining,
    keyFamilies.limit,
    forecastFamilies.keyExhaustion,
    keyFamilies.nextReset,
  ];
  const shown = families.flatMap((family, index) => {
    const value = others[index];
    if (value === undefined) return [];
    return [exposed(family, { key }, index < 2 ? () => value : () => (60 + value) * 60)];
  });
  const course: Course = {
    outlook: () => "predicted",
    isAnnounced: (minute) => out === undefined && minute < 58,
  };
  const forecast = forecastOfKey(key, course, { team: "docs" }).filter(
    ({ series }) => out === undefined || !series.includes("exhaustion_timestamp"),
  );
  return [...shown, ...forecast];
}

function expiring(key: string, seconds: number): readonly InputSeries[] {
  return [
    exposed(keyFamilies.ownerInfo, { key, team: "", project: "", cost_center: "" }, () => 1),
    exposed(keyFamilies.expiry, { key }, () => seconds),
  ];
}
