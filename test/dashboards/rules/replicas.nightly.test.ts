import { beforeAll, expect, test } from "vitest";
import { dashboards } from "../../../dashboards/index.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import type { ConfigFileInput } from "../../../exporter/config/schema.ts";
import { forecastFamilies } from "../../../exporter/forecast/families.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { CHOICES, filled } from "../../e2e/dashboard-queries.ts";
import type { SeriesMap } from "../../support/series.ts";
import { createShardsStage, type StagedShard } from "../../support/shards-stage.ts";
import { describeWithTools } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { readDashboard } from "../dashboard-json.ts";
import type { InputSeries } from "./input-series.ts";
import { type Expectation, failuresOf } from "./story.ts";

const MINUTES = 150;

/** These show each process. */
const OF_PROCESSES = "AI gateway / Exporter health";

/** Gateways with the same keys, each with the processes that watch it. In the last two, a process is missing or has another total. */
const FLEETS: Readonly<Record<string, readonly Process[]>> = {
  one: [{ ordinal: 0, total: 1, instances: ["a"] }],
  two: [{ ordinal: 0, total: 1, instances: ["a", "b"] }],
  parts: [
    { ordinal: 0, total: 2, instances: ["a", "b"] },
    { ordinal: 1, total: 2, instances: ["c", "d"] },
  ],
  lost: [{ ordinal: 0, total: 2, instances: ["a", "b"] }],
  mixed: [
    { ordinal: 0, total: 2, instances: ["a", "b"] },
    { ordinal: 1, total: 2, instances: ["c"] },
    { ordinal: 1, total: 3, instances: ["d"] },
  ],
};
/** They have the same sums, alerts and panels as the first fleet. */
const WHOLE = ["two", "parts"];

/** None of the keys expires. */
const RISKY = "AIGatewayRiskyKeys";
const SPENT = ["AIGatewayBudgetExceeded", "AIGatewayKeyExhausted", RISKY];
/** What fires for each fleet. */
const FIRING: Readonly<Record<string, readonly string[]>> = {
  one: SPENT,
  two: SPENT,
  parts: SPENT,
  lost: ["AIGatewayBudgetIncomplete", RISKY, "AIGatewayShardMissing"],
  mixed: [...SPENT, "AIGatewayShardMissing", "AIGatewayShardingMismatch"],
};

interface Process {
  readonly ordinal: number;
  readonly total: number;
  /** One for each replica. */
  readonly instances: readonly string[];
}

describeWithTools(["promtool3"], "the rules", ({ promtool3 }) => {
  let series: readonly InputSeries[] = [];
  beforeAll(async () => {
    series = await scrapes();
  });

  test("have the same alerts for one process, for two, and for two shards with two processes each, and notice a shard that is missing or has another total", async () => {
    const expectations = [
      ...equal((gateway) => `count without (gateway) (ALERTS{gateway="${gateway}"})`),
      ...Object.entries(FIRING).map(([gateway, alerts]) => ({
        at: MINUTES,
        expr: `count by (alertname) (ALERTS{gateway="${gateway}",alertstate="firing"})`,
        samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      })),
    ];
    expect(await failuresOf(promtool3, series, expectations)).toEqual([]);
  }, 300_000);

  test("have the same panels for them", async () => {
    const panels = dashboards
      .map(({ json }) => readDashboard(json))
      .filter(({ title }) => title !== OF_PROCESSES)
      .flatMap((dashboard) => dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
    // A budget over keys of several shards has no forecast.
    const shown = panels.filter((expr) => !expr.includes(forecastFamilies.budgetForecast.name));
    const expectations = [...new Set(shown)].flatMap((expr) =>
      equal((gateway) => filled(expr, { ...CHOICES, key: ".+", query: ".*", gateway })),
    );
    expect(await failuresOf(promtool3, series, expectations)).toEqual([]);
  }, 300_000);
});

/** Expects that an expression has the same results for the gateway with one process and for each other one. */
function equal(of: (gateway: string) => string): readonly Expectation[] {
  return WHOLE.map((other) => {
    const [one, two] = ["one", other].map((gateway) => `sum without (gateway) (${vector(of(gateway))})`);
    // Parts are added in another order.
    return {
      at: MINUTES,
      expr: `(${one} != ${two} unless abs(${one} - ${two}) < 1e-9) or (${one} unless ${two}) or (${two} unless ${one})`,
      samples: [],
    };
  });
}

/** A panel may show a number without labels. */
function vector(expr: string): string {
  return /^\s*time\(\)\s*$/.test(expr) ? `vector(${expr})` : expr;
}

/** What Prometheus scrapes of each fleet. */
async function scrapes(): Promise<readonly InputSeries[]> {
  const stage = await createShardsStage(prepare, CONTENT);
  try {
    const processes: (Process & { readonly gateway: string; readonly shard: StagedShard })[] = [];
    for (const [gateway, fleet] of Object.entries(FLEETS)) {
      for (const process of fleet)
        processes.push({ ...process, gateway, shard: await stage.start(process.ordinal, process.total) });
    }
    await stage.clock.runTo(stage.clock.now() + 600_000);
    const shown: InputSeries[] = [];
    for (const { gateway, ordinal, total, instances, shard } of processes) {
      const isWhole = (seen: SeriesMap) => wanted(ordinal, total).every((name) => seen.has(name));
      const seen = await until("the series of a process", () => shard.series(), isWhole);
      const own = [...seen].filter(([name]) => name.startsWith("aigateway_"));
      shown.push(...instances.flatMap((instance) => own.flatMap((one) => scraped(one, gateway, instance))));
    }
    return shown;
  } finally {
    await stage.stop();
  }
}

const CONTENT: Partial<ConfigFileInput> = {
  budgets: [
    { name: "all", limit: 30, window: "month", keys: "all" },
    { name: "account", limit: 100, window: "day", account: true },
  ],
  discovery: {},
};

/** Four keys that spend; the first one has nothing left. */
function prepare({ addKey, setLimit, spend }: Gateway): void {
  for (let index = 0; index < 4; index++) {
    const name = `key-${index}`;
    addKey({ name });
    setLimit(name, (index + 1) * 10_000_000);
    for (let call = 0; call < 3; call++)
      spend({
        key: name,
        model: `acme/model-${call}`,
        app: `app-${index % 2}`,
        micros: 3_333_333 + call,
        force: true,
      });
  }
}

/** What a process shows once it has every answer. */
function wanted(ordinal: number, total: number): readonly string[] {
  const account = [
    "aigateway_account_balance_credits{}",
    "aigateway_unwatched_day_credits{}",
    'aigateway_budget_spent_credits{budget="account"}',
  ];
  const all =
    total > 1
      ? `aigateway_budget_part_spent_credits{budget="all",shard="${ordinal}",shards="${total}"}`
      : 'aigateway_budget_spent_credits{budget="all"}';
  return ordinal === 0 ? [all, ...account] : [all];
}

function scraped(
  [name, value]: readonly [string, number],
  gateway: string,
  instance: string,
): readonly InputSeries[] {
  if (!Number.isFinite(value)) return [];
  const target = `job="${JOB}",gateway="${gateway}",instance="${instance}:9853"`;
  return [{ series: name.replace("{", `{${target},`).replace(",}", "}"), values: valuesOf(name, value) }];
}

/** What is counted or spent grows. Times are those of the test, which begins in 1970. */
function valuesOf(name: string, value: number): string {
  if (/_last_\w+_timestamp_seconds/.test(name)) return `0+60x${MINUTES}`;
  if (/_(end|reset)_timestamp_seconds/.test(name)) return `${2 * MONTH_SECONDS}x${MINUTES}`;
  if (name.includes("_timestamp_seconds")) return `0x${MINUTES}`;
  const isGrowing = /_(usage|spent|used|requests|tokens)/.test(name) && !/limit|exporter/.test(name);
  // The parts of a budget grow like the whole together.
  const growth = name.includes("_part_") ? 0.0005 : 0.001;
  return isGrowing ? `${value}+${growth}x${MINUTES}` : `${value}x${MINUTES}`;
}

const MONTH_SECONDS = 2_592_000;
