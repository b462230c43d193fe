import { describe, expect, onTestFinished, test } from "vitest";
import type { ReportRequest } from "../../../exporter/cli/command-line/report-flags.ts";
import { report } from "../../../exporter/cli/report.ts";
import type { ConfigFileInput } from "../../../exporter/config/schema.ts";
import { decimalSum } from "../../../exporter/metrics/decimal-sum.ts";
import type { Gateway, GatewayOptions } from "../../gateway/gateway.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { createFastClock } from "../../support/fast-time.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { DEFAULT_OPTIONS } from "./default-options.ts";
import { createTerminalDouble } from "./terminal-double.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const OCTOBER = Date.UTC(2026, 9, 1);
const DAY = 86_400_000;
const TEAMS = new Map([
  ["billing", "payments"],
  ["invoices", "payments"],
  ["search", "web"],
]);

interface Stage {
  readonly options?: GatewayOptions;
  readonly prepare?: (gateway: Gateway) => void;
  readonly content?: Partial<ConfigFileInput>;
  readonly request?: Partial<ReportRequest>;
}

/** A gateway with keys of two teams and one that nobody owns; the result makes a report, of October by team as JSON. */
async function setUp({ options, prepare, content }: Stage = {}) {
  const clock = createFastClock({ speed: 100, realMs: Date.now(), shownMs: NOON });
  const gateway = await startSimulatedGateway({ now: () => clock.now(), startAt: NOON, ...options });
  if (options?.keys === undefined)
    for (const name of [...TEAMS.keys(), "stray"]) gateway.addKey({ name, createdAt: OCTOBER });
  prepare?.(gateway);
  const tokens = [...gateway.tokens].filter(([name]) => name !== "stray" && name !== "ops-runner");
  const files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: new Map(tokens),
    managementToken: gateway.managementToken,
    content: {
      gateway: { base_url: gateway.url, deadline: "10m" },
      keys: tokens.map(([name], index) => ({
        name,
        api_key_env: `KEY_${index}`,
        owner: { team: TEAMS.get(name) ?? (index % 3 === 0 ? "" : `team ${index % 3}`) },
      })),
      ...content,
    },
  });
  onTestFinished(() => files.remove());
  return {
    gateway,
    ask: async (request: Partial<ReportRequest> = {}) => {
      const { terminal, printed } = createTerminalDouble(files.environment);
      const asked = { month: "2026-10", last: undefined, by: "team", format: "json", ...request } as const;
      const code = await report(
        asked,
        { ...DEFAULT_OPTIONS, configFile: files.configFile },
        { ...terminal, clock },
      );
      return { code, ...printed };
    },
  };
}

async function reported({ request, ...stage }: Stage = {}) {
  const { ask } = await setUp(stage);
  return ask(request);
}

/** 12.5 for payments, 3 for web, 0.25 for the stray key in October, and other amounts before and after. */
function spendOfOctober(gateway: Gateway): void {
  const spend = (key: string, micros: number, at: number) =>
    gateway.spend({ key, model: "acme/one", app: "Desk", micros, at, force: true, promptTokens: 10 });
  spend("billing", 10_000_000, OCTOBER);
  spend("invoices", 2_500_000, OCTOBER + 30 * DAY);
  spend("search", 3_000_000, OCTOBER + 15 * DAY);
  spend("stray", 250_000, OCTOBER + 31 * DAY - 1);
  spend("billing", 7_000_000, OCTOBER - 1);
  spend("billing", 9_000_000, OCTOBER + 31 * DAY);
}

describe("report", () => {
  test("the lines of the teams, the rest that no team owns, and the total", async () => {
    const { code, stdout, stderr } = await reported({ prepare: spendOfOctober });
    const { lines, rest, total, period, currency } = JSON.parse(stdout);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(lines).toMatchObject([
      { name: "payments", credits: 12.5, requests: 2, tokens: 20, cost: null },
      { name: "web", credits: 3, requests: 1, tokens: 10 },
    ]);
    expect(rest).toMatchObject({ credits: 0.25, requests: 1, tokens: 10 });
    expect(total).toMatchObject({ credits: 15.75, requests: 4, tokens: 40 });
    expect(period).toMatchObject({ name: "2026-10", closed: true });
    expect(currency).toBeNull();
  });

  test("a former price counts until its end", async () => {
    const { stdout } = await reported({
      prepare: spendOfOctober,
      content: {
        credit_value: { currency: "EUR", value: 2, former: [{ until: "2026-10-16", value: 0.9 }] },
      },
    });
    const { lines, rest, total, currency } = JSON.parse(stdout);
    expect(currency).toBe("EUR");
    expect(lines).toMatchObject([
      { name: "payments", credits: 12.5, cost: 10 * 0.9 + 2.5 * 2 },
      { name: "web", cost: 6 },
    ]);
    expect(rest).toMatchObject({ cost: 0.5 });
    expect(total).toMatchObject({ cost: 20.5 });
  });

  test("as CSV", async () => {
    const { stdout } = await reported({ prepare: spendOfOctober, request: { format: "csv", by: "model" } });
    expect(stdout.split("\r\n")).toEqual([
      "period_start,period_end,line,model,credits,byok_credits,requests,tokens,cost,currency",
      "2026-10-01,2026-11-01,spend,acme/one,15.75,0,4,40,,",
      "2026-10-01,2026-11-01,total,,15.75,0,4,40,,",
      "",
    ]);
  });

  test("as FOCUS: costs in a currency, credits as the pricing currency", async () => {
    const stage = { prepare: spendOfOctober, content: { credit_value: { currency: "USD", value: 1.1 } } };
    const { stdout } = await reported({ ...stage, request: { format: "focus" } });
    const [head = "", ...rows] = stdout.trimEnd().split("\r\n");
    // The compared cells come before the first quoted one.
    const cells = (column: string) => rows.map((row) => row.split(",")[head.split(",").indexOf(column)]);
    expect(cells("BilledCost")).toEqual(["13.75", "3.3", "0.275"]);
    expect(cells("BillingCurrency")).toEqual(["USD", "USD", "USD"]);
    expect(stdout).toContain('"{""team"":""payments""}"');
    const without = await reported({ request: { format: "focus" } });
    expect(without).toMatchObject({ code: 1, stdout: "" });
    expect(without.stderr).toMatch(/needs the section credit_value/);
  });

  test("as Markdown, with the change since the month before", async () => {
    const { stdout } = await reported({ prepare: spendOfOctober, request: { format: "markdown" } });
    expect(stdout).toContain("# Spend by team, 2026-10\n");
    expect(stdout).toContain("2026-10-01 to 2026-10-31 (UTC).");
    expect(stdout).toContain("| payments | 12.50 | 79.4 % | 2 | 20 | +78.6 % |");
    expect(stdout).toContain("| web | 3.00 | 19.0 % | 1 | 10 |");
    expect(stdout).toContain("| (not assigned) | 0.25 |");
    expect(stdout).toContain("| **total** | 15.75 | 100.0 % | 4 | 40 | +125.0 % |");
  });

  test("as Markdown, without a change if the report of the month before is incomplete", async () => {
    const { stdout, code } = await reported({
      prepare: (gateway) => {
        spendOfOctober(gateway);
        // More rows than the gateway sends.
        for (let index = 0; index <= 1000; index++)
          gateway.spend({
            key: "stray",
            model: "acme/one",
            app: `App ${index}`,
            micros: 1,
            at: OCTOBER - 1,
            force: true,
          });
      },
      request: { format: "markdown", by: "app" },
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain("Change");
  });

  test("a running month is marked", async () => {
    const { code, stdout, stderr } = await reported({
      prepare: spendOfOctober,
      request: { month: "2026-11", format: "markdown" },
    });
    expect(code).toBe(0);
    // A CSV file has no place for a mark.
    expect(stderr).toMatch(/^warning: 2026-11 has not ended: it is counted until 2026-11-18T1\d:.*Z\n$/);
    expect(stdout).toContain("> **Not closed:** the period has not ended.");
    expect(stdout).toMatch(/counted until 2026-11-18T1\d:\d\dZ/);
  });

  test("without a month, the last full one; a week begins on Monday", async () => {
    const month = await reported({ request: { month: undefined } });
    expect(JSON.parse(month.stdout).period).toMatchObject({ name: "2026-10" });
    const week = await reported({ request: { month: undefined, last: "week" } });
    expect(JSON.parse(week.stdout).period).toMatchObject({ name: "2026-11-09", closed: true });
  });

  test("listed keys belong to the owner in their name", async () => {
    const { stdout, code } = await reported({
      prepare: (gateway) => {
        spendOfOctober(gateway);
        gateway.addKey({ name: "ops-runner", createdAt: OCTOBER });
        gateway.spend({ key: "ops-runner", model: "acme/one", micros: 500_000, at: OCTOBER, force: true });
      },
      content: { discovery: { owner: "^(?<team>[a-z]+)-" } },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).lines).toMatchObject([
      { name: "payments" },
      { name: "web" },
      { name: "ops", credits: 0.5 },
    ]);
  });

  test.each(["key", "model", "app", "team"] as const)(
    "by %s, lines and rest equal the ledger for a year",
    async (by) => {
      const { ask, gateway } = await setUp({
        options: { seed: 7, keys: 12, historyDays: 400, historySlotMs: 6 * 3_600_000 },
      });
      for (let index = 0; index < 12; index++) {
        const [start, end] = [Date.UTC(2025, 10 + index), Date.UTC(2025, 11 + index)];
        const { code, stdout, stderr } = await ask({ month: new Date(start).toISOString().slice(0, 7), by });
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        const { lines, rest, total } = JSON.parse(stdout);
        const booked = gateway.books.analytics({ start, end }).total.integers;
        expect(Math.round(total.credits * 1e6)).toBe(booked["total_usage"] - booked["byok_usage"]);
        expect(total.credits).toBeGreaterThan(0);
        for (const amount of ["credits", "requests", "tokens"]) {
          const parts = [...lines, ...(rest ? [rest] : [])].map((line) => line[amount]);
          expect(decimalSum(parts)).toBe(total[amount]);
        }
      }
    },
  );
});

describe("report: what cannot be reported", () => {
  test.each([
    ["2026-13", 'Unknown month "2026-13" (--month): expected a month such as 2026-10'],
    ["October", 'Unknown month "October" (--month): expected a month such as 2026-10'],
    ["2026-12", "Cannot report 2026-12 (--month): it has not begun"],
  ])("%s", async (month, message) => {
    await expect(reported({ request: { month } })).rejects.toThrow(message);
  });

  test("a range beyond the reach of the gateway prints nothing", async () => {
    const { code, stdout, stderr } = await reported({
      options: { switches: { rangeLimits: true } },
      request: { month: "2026-08", by: "provider" },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Cannot report 2026-08: Cannot query the analytics of "spend by provider": .*31/);
  });

  test.each([
    ["analytics", 'query the analytics of "payments"'],
    ["keys", 'list the keys of "default"'],
  ] as const)("a failure names the owner or the workspace: %s", async (endpoint, action) => {
    const { code, stdout, stderr } = await reported({
      prepare: ({ faults }) => faults.add({ endpoint, kind: "status", status: 403 }),
      content: { discovery: {} },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`Cannot report 2026-10: Cannot ${action}: gateway answered 403`);
  });

  test("a listed key with whose name a pattern does not end in time", { timeout: 20_000 }, async () => {
    const { code, stdout, stderr } = await reported({
      prepare: (gateway) => {
        spendOfOctober(gateway);
        gateway.addKey({ name: "bad", title: `${"a".repeat(200)}!`, createdAt: OCTOBER });
      },
      content: { discovery: { include: ["^(?:[a-z]+-?)+$"] } },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('the list of keys of workspace "default" is incomplete');
    expect(JSON.parse(stdout).lines).toMatchObject([{ name: "payments" }, { name: "web" }]);
  });

  test("more rows than the gateway sends is marked, and exit code 1", async () => {
    const { code, stdout, stderr } = await reported({
      prepare: (gateway) => {
        for (let index = 0; index <= 1000; index++) {
          const spend = { key: "stray", model: "acme/one", app: `App ${index}`, micros: 1, force: true };
          gateway.spend({ ...spend, at: OCTOBER });
        }
      },
      request: { format: "markdown", by: "app" },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^warning: .*rows/);
    expect(stdout).toContain("> **Incomplete:** ");
  });

  test("without analytics", async () => {
    const { code, stderr } = await reported({ content: { analytics: undefined } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/a report needs the section analytics, with a management key\n$/);
  });

  test("a key that the gateway does not know is a warning, and exit code 1", async () => {
    const { code, stdout, stderr } = await reported({
      prepare: (gateway) => {
        spendOfOctober(gateway);
        gateway.remove("search");
      },
    });
    expect(code).toBe(1);
    expect(stderr).toBe('warning: the gateway does not know all keys of "web", so amounts may be missing\n');
    expect(JSON.parse(stdout).problems).toHaveLength(1);
  });
});
