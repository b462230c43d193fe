import { describe, expect, test } from "vitest";
import { checkOnline, type Stage, warning } from "./online-stage.ts";

test("check --online of what works reports no problem, and what each job found", async () => {
  const { code, facts, findings } = await checkOnline();
  expect(findings).toEqual([]);
  expect(code).toBe(0);
  expect(facts).toMatchInlineSnapshot(`
    [
      "config.yaml: is valid: 2 keys, analytics",
      "  job                                      requests  endpoint   every",
      "  2 keys                                   2         key        1m",
      "  analytics query "day"                    2         analytics  5m",
      "  analytics query "last_day"               2         analytics  5m",
      "  analytics query "month"                  2         analytics  5m",
      "  analytics query "last_month"             2         analytics  1h",
      "  analytics query "keys-day"               2         analytics  5m",
      "  analytics query "keys-month"             2         analytics  5m",
      "  the account's credits                    1         account    5m",
      "  the capabilities of the analytics        1         account    1d",
      "  the list of keys of workspace "default"  2         account    5m     up to 100 keys, then one more for each 99",
      "  the unwatched spend                      2         analytics  5m",
      "  the spend by day                         1         analytics  1h",
      "  the spend by key and day                 1         analytics  1h",
      "  the spend by model and day               1         analytics  1h",
      "  the spend by app and day                 1         analytics  1h",
      "  the spend by hour                        1         analytics  15m",
      "  the spend by key and hour                1         analytics  15m",
      "  the spend by model and hour              1         analytics  15m",
      "  the spend by app and hour                1         analytics  15m",
      "  the spend by key and hour                1         analytics  1h",
      "  key: 2 requests a minute without a limit",
      "  analytics: 2.78 requests a minute of at most 60",
      "  account: 0.601 requests a minute of at most 60",
      "URL: asked once for 22 jobs, 22 of them successful",
      "keys: 2 of 2 accepted (2 ordinary)",
      "analytics query "day": 1 row since 2026-11-18 00:00 UTC",
      "analytics query "last_day": 0 rows since 2026-11-17 00:00 UTC",
      "analytics query "month": 1 row since 2026-11-01 00:00 UTC",
      "analytics query "last_month": 0 rows since 2026-10-01 00:00 UTC",
      "analytics query "keys-day": 1 row since 2026-11-18 00:00 UTC",
      "analytics query "keys-month": 1 row since 2026-11-01 00:00 UTC; 31 days back can be reached",
      "the account's credits: 100.5 bought, 25.750001 used",
      "the capabilities of the analytics: 23 metrics, 16 dimensions, 5 granularities",
      "the list of keys of workspace "default": 2 keys, 0 of them disabled, in 2 requests",
      "0 problems, 0 warnings",
    ]
  `);
});

test("check --online reads, and nothing else: no paid request, none that writes", async () => {
  const probes = [{ name: "ears", key: "billing", model: "acme/ear" }];
  const { code, facts, requests } = await checkOnline({
    content: { probes, probe_spend: { max_cost_per_day: 1, max_cost_per_probe: 0.01 } },
  });
  expect(code).toBe(0);
  expect(facts).toContain(
    "probes: not run, because they cost credits; aigateway-exporter probe NAME runs one",
  );
  expect(requests()).toContain("GET /keys?include_disabled=true&offset=1&include_expired=true");
  expect(requests().filter((request) => request.includes("transcriptions"))).toEqual([]);
});

test("check --online says on a terminal what takes a while, and how long", async () => {
  const asking = "Asking URL, which takes about 25s if it answers …";
  expect((await checkOnline({ isTerminal: true })).findings).toEqual([asking]);
  expect((await checkOnline()).findings).toEqual([]);
});

describe("check --online: warnings, which leave the exit code at 0", () => {
  test.each<[string, Stage, readonly string[]]>([
    [
      "a budget that begins later, which is not asked about",
      {
        content: {
          budgets: [{ name: "next", limit: 1, window: "total", since: "2026-12-01", account: true }],
        },
      },
      [
        'warning: config.yaml: Budget "next" counts nothing until 2026-12-01T00:00:00Z, because its since is in the future',
      ],
    ],
    [
      "a list of more pages than its schedule has seconds",
      {
        options: { switches: { keysPerPage: 2 } },
        content: { schedule: { discovery: "2s" } },
        tokens: new Map(),
        prepare: (gateway) => {
          for (let count = 0; count < 4; count++) gateway.addKey({ name: `more-${count}` });
        },
      },
      [
        warning(
          'the list of keys of workspace "default": 6 requests take 6s, but schedule.discovery is every 2s; keys are listed every 6s',
        ),
      ],
    ],
  ])("%s", async (_, stage, expected) => {
    const { code, findings } = await checkOnline(stage);
    expect(findings).toEqual(expected);
    expect(code).toBe(0);
  });

  test("keys of a gateway that does not report their kind are only counted", async () => {
    const { code, facts } = await checkOnline({ options: { switches: { extraKeyFields: false } } });
    expect(code).toBe(0);
    expect(facts).toContain("keys: 2 of 2 accepted (2 of a kind that the gateway does not report)");
  });
});

test("check --online of a gateway with short hashes and without analytics finds no problem, and says what is not offered", async () => {
  const { code, facts, findings } = await checkOnline({
    options: { switches: { missingOperations: ["analytics", "meta", "credits"] } },
    prepare: (gateway) => gateway.addKey({ name: "short", hash: "a1b2c3d4e5f6" }),
    tokens: new Map(),
  });
  expect(code).toBe(0);
  expect(facts).toContain(
    'the list of keys of workspace "default": 3 keys, 0 of them disabled, in 2 requests',
  );
  expect(facts.at(-1)).toBe("0 problems, 3 warnings");
  expect(findings).toEqual([
    expect.stringContaining("the gateway does not report credits (404)"),
    expect.stringContaining("names in analytics.queries are not checked"),
    expect.stringMatching(/^warning: .*analytics query "day", .* does not offer this/),
  ]);
});
