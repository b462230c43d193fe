import { expect, test } from "vitest";
import { collectors } from "../../../exporter/collectors/index.ts";
import type { BudgetConfig, Config } from "../../../exporter/config/config.ts";
import type { Gateway } from "../../../exporter/gateway/port.ts";
import { resultOf } from "../../support/fake-client.ts";
import { testConfig } from "../../support/test-config.ts";
import { expositionOf } from "../../support/exposition-of.ts";
import { createClient, secretSource, unlimitedPermits } from "../../support/gateway-client.ts";
import { answering, type SeenRequest, startScriptedServer } from "../../support/scripted-server.ts";
import { createSecondGateway, type SecondService } from "../../support/second-gateway.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const LAST_DAY = Date.UTC(2026, 10, 17, 12);
const LAST_MONTH = Date.UTC(2026, 9, 18, 12);
const WORDS = { in: 1000, out: 200 };

const SERVICE: SecondService = {
  accounts: {
    "token-1": {
      hint: "tok…1",
      capCents: 10_000,
      leftCents: 7450,
      renews: "each_month",
      spentCents: { ever: 102_575, today: 125, month: 2550 },
    },
    "token-2": {
      hint: "tok…2",
      capCents: null,
      leftCents: null,
      renews: "not",
      spentCents: { ever: 5, today: 0, month: 5 },
    },
  },
  charges: [
    { engine: "acme/one", client: "Chat", at: NOON - 1000, cents: 150, calls: 3, words: WORDS },
    { engine: "acme/two", client: null, at: NOON - 1000, cents: 25, calls: 1, words: WORDS },
    { engine: "acme/one", client: "Batch", at: LAST_DAY, cents: 75, calls: 2, words: WORDS },
    { engine: "acme/old", client: "Chat", at: LAST_MONTH, cents: 300, calls: 7, words: WORDS },
  ],
};

const budget: BudgetConfig = {
  name: "week",
  limit: 10,
  period: { kind: "week" },
  scope: { kind: "model", label: "acme/one" },
  team: "",
};

const key = (name: string, token: string) => ({
  name,
  secret: secretSource(token),
  owner: { team: "payments", project: "", costCenter: "" },
  showLabel: true,
});

const CONFIG: Config = testConfig({
  keys: [key("billing", "token-1"), key("search", "token-2")],
  analytics: { managementKey: secretSource("token-1"), top: 1, rates: false, queries: [] },
  budgets: [budget],
});

/** The exposition after one run of every job. */
async function expositionFrom(gateway: Pick<Gateway, "clientFor">): Promise<string> {
  const signal = new AbortController().signal;
  const parts = await Promise.all(
    collectors.flatMap((collector) =>
      collector.jobs(CONFIG).map(async (job) => {
        const client = gateway.clientFor({
          endpoint: job.endpoint,
          name: job.name,
          permits: unlimitedPermits(),
          signal,
        });
        const { samples } = await resultOf(job, client, NOON);
        return [...job.constants, ...samples];
      }),
    ),
  );
  return expositionOf(
    collectors.flatMap(({ families }) => families),
    parts.flat(),
  ).text;
}

/** The same service with the API of the contract. */
const overHttp: Readonly<Record<string, (request: SeenRequest) => object>> = {
  "/key": ({ headers }) => {
    const account = SERVICE.accounts[(headers.authorization ?? "").replace("Bearer ", "")];
    if (!account) return {};
    return {
      data: {
        label: account.hint,
        limit: account.capCents === null ? null : account.capCents / 100,
        limit_remaining: account.leftCents === null ? null : account.leftCents / 100,
        limit_reset: account.renews === "each_month" ? "monthly" : null,
        usage: `${account.spentCents.ever / 100}`,
        usage_daily: account.spentCents.today / 100,
        usage_monthly: account.spentCents.month / 100,
      },
    };
  },
  "/analytics/query": ({ body }) => {
    const { time_range, dimensions } = JSON.parse(body);
    const charges = SERVICE.charges.filter(
      ({ at }) => Date.parse(time_range.start) <= at && at < Date.parse(time_range.end),
    );
    const columns = charges.map(({ engine, client, cents, calls, words }) => ({
      model: engine,
      app: client,
      total_usage: cents / 100,
      request_count: `${calls}`,
      tokens_total: words.in + words.out,
      tokens_prompt: words.in,
      tokens_completion: words.out,
    }));
    const rows = dimensions || columns.length === 0 ? columns : [sumOf(columns)];
    return { data: { data: rows, metadata: { truncated: false } } };
  },
};

function sumOf(rows: readonly Readonly<Record<string, string | number | null>>[]): object {
  const names = ["total_usage", "request_count", "tokens_total", "tokens_prompt", "tokens_completion"];
  return Object.fromEntries(
    names.map((name) => [name, rows.reduce((total, row) => total + Number(row[name]), 0)]),
  );
}

test("two adapters of the port give the same exposition for the same spend", async () => {
  const server = await startScriptedServer((response, request) => {
    const body = overHttp[request.path]?.(request);
    return answering(body ? 200 : 404, body ?? {})(response, request);
  });
  const text = await expositionFrom(createClient({ baseUrl: server.url }));
  expect(await expositionFrom(createSecondGateway(SERVICE))).toBe(text);
  for (const line of [
    'aigateway_key_limit_remaining_credits{key="billing"} 74.5',
    'aigateway_key_unlimited{key="search"} 1',
    'aigateway_usage_day_credits{model="acme/one",app="Chat"} 1.5',
    'aigateway_usage_day_credits{model="_other",app="_other"} 0.25',
    'aigateway_usage_last_month_requests{model="acme/old",app="Chat"} 7',
    'aigateway_analytics_rows{query="week"} 3',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});
