import { sha256, tokenOf } from "./account-keys.ts";
import type { AnalyticsSettings, BudgetSettings, ProbeSettings, Settings } from "./story.ts";

/** The base URL of each gateway. */
export const GATEWAY_URLS = { a: "https://a.example/api/v1", b: "https://b.example/api/v1" } as const;

/** Settings as a configuration file. JSON is YAML. */
export function configText(settings: Settings): string {
  const { keys, gateway, pace, connections, keySchedule, analyticsSchedule, analytics, budgets } = settings;
  const { probes, formerPrice } = settings;
  return JSON.stringify({
    gateway: { base_url: GATEWAY_URLS[gateway], requests_per_minute: pace, connections },
    schedule: { keys: keySchedule, analytics: analyticsSchedule, discovery: analyticsSchedule },
    keys: keys.map(({ name, file, team, label }) => ({
      name,
      api_key_file: `secrets/f${file}`,
      ...(team !== undefined && { owner: { team } }),
      ...(label !== undefined && { show_label: label }),
    })),
    ...(analytics && analyticsSections(analytics)),
    budgets: budgets.map(budgetEntry),
    ...(probes && probeSections(probes)),
    ...(formerPrice && {
      credit_value: { currency: "EUR", value: 2 * formerPrice.value, former: [formerPrice] },
    }),
  });
}

function analyticsSections({ file, top, queries, listing }: AnalyticsSettings): object {
  return {
    analytics: {
      management_key_file: `secrets/f${file}`,
      top,
      ...(queries === undefined && { queries: [] }),
      ...(queries === "filtered" && { queries: [FILTERED] }),
    },
    discovery: listing
      ? {
          ...(listing === "some" && { exclude: [EXCLUDED] }),
          ...(listing === "everywhere" && { workspaces: "all" }),
        }
      : { enabled: false },
  };
}

/** The key that the own query is about. */
const FILTERED_KEY = 500;
const FILTERED = {
  name: "own",
  dimensions: ["model"],
  window: "month",
  filters: [{ field: "api_key_id", in: [sha256(tokenOf(FILTERED_KEY, 0))] }],
};

/** The pattern of the names that some configurations exclude. */
export const EXCLUDED = "^Hidden";

function budgetEntry(budget: BudgetSettings): object {
  return { ...budget, limit: 1000, ...(budget.window === "total" && { since: TOTAL_SINCE }) };
}

/** The start of every budget with the window `total`. */
export const TOTAL_SINCE = "2026-02-01";

function probeSections({ payers, schedule, perDay, perRun }: ProbeSettings): object {
  return {
    probes: payers.map((key, index) => ({
      name: `probe${index}`,
      key,
      model: "acme/ears",
      audio: "hello.mp3",
      expected_text: "hello world",
      schedule,
    })),
    probe_spend: { max_cost_per_day: perDay, max_cost_per_probe: perRun },
  };
}
