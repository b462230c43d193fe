import { createServer as createTlsServer } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAuthority } from "../../support/certificates.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { answering, startScriptedServer } from "../../support/scripted-server.ts";
import { checkOnline, JOBS, one, type Stage, warning, WORKSPACE } from "./online-stage.ts";

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
      "  key: 2 requests a minute without a limit",
      "  analytics: 2.43 requests a minute of at most 60",
      "  account: 0.601 requests a minute of at most 60",
      "URL: asked once for 12 jobs, 12 of them successful",
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
  expect(new Set(requests())).toEqual(
    new Set([
      "GET /key",
      "GET /keys?include_disabled=true&offset=0",
      "GET /keys?include_disabled=true&offset=1",
      "GET /credits",
      "GET /analytics/meta",
      "POST /analytics/query",
    ]),
  );
});

test("check without --online asks nothing, and prints the table of requests", async () => {
  const { code, facts, requests } = await checkOnline({ flags: [] });
  expect([code, requests()]).toEqual([0, []]);
  expect(facts.at(-1)).toBe("  account: 0.601 requests a minute of at most 60");
});

describe("check --online: where the gateway is something else", () => {
  const WEB = "<!doctype html><title>Welcome</title>";

  test("the web site of the gateway", async () => {
    const { url } = await startScriptedServer(answering(200, WEB, { "content-type": "text/html" }));
    const { findings } = await checkOnline({ url });
    expect(findings).toEqual([
      one(
        `gateway.base_url: "URL": gateway answered 200 with a body that is not JSON but HTML (check gateway.base_url) (${JOBS - 1} of ${JOBS} polls: key "billing", key "search", analytics query "day" and 8 more). Check that the address is that of the API`,
      ),
    ]);
  });

  test("another path of the gateway", async () => {
    const { url } = await startScriptedServer(answering(404, { error: { message: "Not found" } }));
    const { code, findings } = await checkOnline({ url });
    expect(code).toBe(1);
    expect(findings.filter((line) => !line.startsWith("warning"))).toEqual([
      one(
        `gateway.base_url: "URL": gateway answered 404: Not found (9 of ${JOBS} polls: key "billing", key "search", analytics query "day" and 6 more). Check the path of the address`,
      ),
    ]);
  });

  test("a gateway whose certificate nobody trusts", async () => {
    const server = createTlsServer(createAuthority().issue("localhost"), (_, response) => response.end());
    const { port, stop } = await listenOnLoopback(server);
    onTestFinished(stop);
    const { code, findings } = await checkOnline({ url: `https://localhost:${port}/api/v1` });
    expect(code).toBe(1);
    expect(findings).toEqual([
      one(
        `gateway.base_url: "URL": the connection failed (UNABLE_TO_VERIFY_LEAF_SIGNATURE) (11 of ${JOBS} polls: key "billing", key "search", analytics query "day" and 8 more). Its certificate is not accepted: correct it, or name the certificate of your certificate authority in NODE_EXTRA_CA_CERTS`,
      ),
    ]);
  });

  test("a port without TLS", async () => {
    const { url } = await startScriptedServer(answering(200));
    const { code, findings } = await checkOnline({ url: url.replace("http:", "https:") });
    expect(code).toBe(1);
    expect(findings).toEqual([
      expect.stringMatching(
        /The server does not use TLS at this address: correct the scheme or the port of the address$/,
      ),
    ]);
  });
});

describe("check --online: warnings, which leave the exit code at 0", () => {
  test.each<[string, Stage, readonly string[]]>([
    [
      "a gateway without the newer operations",
      { options: { switches: { missingOperations: ["meta", "credits"] } } },
      [
        warning(
          "the account's credits: the gateway does not report credits (404), so the balance is unknown",
        ),
        warning(
          "the capabilities of the analytics: the gateway does not list them (404); names in analytics.queries are not checked",
        ),
      ],
    ],
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
      "a management key among the ordinary ones",
      { prepare: (gateway) => gateway.addKey({ name: "root", management: true }) },
      [
        warning(
          'key "root": it is a management key, which can change the account; an ordinary one is enough',
        ),
      ],
    ],
    [
      "an empty workspace",
      { content: { discovery: { workspaces: [WORKSPACE] } } },
      [
        warning(
          `the list of keys of workspace "${WORKSPACE}": it contains no keys; check the UUID of the workspace`,
        ),
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

test("check of too many requests per round names their number, and asks nothing", async () => {
  const many = Array.from({ length: 131 }, (_, index) => ({
    name: `own-${index}`,
    dimensions: ["model"],
    window: "day" as const,
  }));
  const { code, findings, requests } = await checkOnline({
    content: { analytics: { management_key_env: "MANAGEMENT_KEY", queries: many } },
  });
  expect([code, requests()]).toEqual([1, []]);
  expect(findings).toEqual([
    expect.stringMatching(
      /analytics\.queries: 133 queries \(2 of them built in\) need 266 requests per round .* only 270 fit/,
    ),
  ]);
});

test("check --online shows no secret, even if the gateway repeats it", async () => {
  const secret = "sk-or-v1-planted-9f8e7d6c5b4a";
  const { facts, findings } = await checkOnline({
    tokens: new Map([["billing", secret]]),
    prepare: ({ faults }) =>
      void faults.add({ kind: "status", status: 401, endpoint: "key", message: `No key ${secret}` }),
  });
  expect([...facts, ...findings].join("\n")).not.toContain(secret.slice(9));
  expect(findings.join("\n")).toContain("gateway answered 401");
});
