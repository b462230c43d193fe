import type { Exposition } from "../exposition.ts";
import type { Judge, Scrape, World } from "../world.ts";

/**
 * The status as JSON and the metrics may say less than each other, but nothing else. What arrived a moment ago is in the
 * JSON first, so only a difference that outlasts a scrape is one.
 */
export function createOneAnswer({ time }: World): Judge {
  let before: ReadonlyMap<string, string> = new Map();
  let beforeAt = -Infinity;
  return {
    scraped: (scrape) => {
      // While the exporter’s clock stands still, nothing is published.
      const at = time.clock.monotonic();
      if (scrape.status === undefined || at < beforeAt + PUBLISHED_MS) return [];
      beforeAt = at;
      const now = new Map(comparisons(scrape.status, scrape.exposition).filter(isDifferent).map(asText));
      const lasting = [...now].filter(([what, values]) => before.get(what) === values);
      before = now;
      return lasting.map(([what, values]) => `${what}: ${values}`);
    },
  };
}

const PUBLISHED_MS = 2500;

/** What is compared, by the JSON, and by the metrics. */
type Comparison = readonly [what: string, json: unknown, metrics: unknown];

function isDifferent([, json, metrics]: Comparison): boolean {
  return json !== undefined && metrics !== undefined && json !== metrics;
}

function asText([what, json, metrics]: Comparison): readonly [string, string] {
  return [what, `${String(json)} in the JSON, ${String(metrics)} in the metrics`];
}

function comparisons(status: NonNullable<Scrape["status"]>, exposition: Exposition): readonly Comparison[] {
  const { keys, budgets, queries = [], unwatched, account } = status;
  const of =
    (part: string, labels: Readonly<Record<string, string>>) => (fields: Readonly<Record<string, unknown>>) =>
      Object.entries(fields).map(([name, json]): Comparison => {
        const family = `aigateway_${part}${name}`;
        return [`${family}${JSON.stringify(labels)}`, json, exposition.value(family, labels)];
      });
  const state = (family: string, labels: Readonly<Record<string, string>>, json: unknown): Comparison => {
    const set = exposition
      .samples(family)
      .filter(({ labels: all }) => Object.entries(labels).every(([name, text]) => all[name] === text));
    return [`${family}${JSON.stringify(labels)}`, json, set.find(({ value }) => value === 1)?.labels[family]];
  };
  return [
    ...keys.flatMap((row) => {
      const labels = { key: row.key };
      return [
        ...of(
          "key_",
          labels,
        )({
          limit_credits: row.limit_credits,
          limit_remaining_credits: row.limit_remaining_credits,
          limit_next_reset_timestamp_seconds: row.limit_next_reset_timestamp_seconds,
          usage_day_credits: row.usage_day_credits,
          usage_week_credits: row.usage_week_credits,
          usage_month_credits: row.usage_month_credits,
          usage_credits: row.usage_credits,
          exhaustion_timestamp_seconds: row.exhaustion_timestamp_seconds,
        }),
        state("aigateway_key_outlook", labels, row.outlook),
      ];
    }),
    ...budgets.flatMap((row) => [
      ...of("budget_", { budget: row.budget })({
        limit_credits: row.limit_credits,
        spent_credits: row.spent_credits,
        window_end_timestamp_seconds: row.window_end_timestamp_seconds,
      }),
    ]),
    ...(unwatched
      ? of("unwatched_", {})({ day_credits: unwatched.day_credits, month_credits: unwatched.month_credits })
      : []),
    ...(account
      ? [
          ...of(
            "account_",
            {},
          )({
            bought_credits: account.balance.bought_credits,
            used_credits: account.balance.used_credits,
            balance_credits: account.balance.balance_credits,
          }),
          state("aigateway_account_outlook", {}, account.balance.outlook),
        ]
      : []),
    ...queries.map(({ query, pairs }): Comparison => {
      const family = `aigateway_usage_${query}_credits`;
      const shown = exposition.samples(family).map(({ labels, value }) => pairText(labels, value));
      return [family, listText(pairs.map((pair) => pairText(pair, pair.credits))), listText(shown)];
    }),
  ];
}

function pairText({ model, app }: Readonly<Record<string, unknown>>, credits: number): string {
  return `${String(model)} ${String(app)} ${credits}`;
}

/** Nothing is said by an empty list. */
function listText(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : texts.toSorted((one, other) => (one < other ? -1 : 1)).join(", ");
}
