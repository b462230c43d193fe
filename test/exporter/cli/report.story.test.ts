import { describe, expect, onTestFinished, test } from "vitest";
import { report, type ReportRequest } from "../../../exporter/cli/report.ts";
import type { ConfigFileInput } from "../../../exporter/config/schema.ts";
import { decimalSum } from "../../../exporter/metrics/decimal-sum.ts";
import type { Gateway, GatewayOptions } from "../../gateway/gateway.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { createFastClock } from "../../support/fast-time.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import type { ReportDimension } from "../../../exporter/reports/report.ts";
import { brokenRules, readCharges } from "../reports/focus-rules.ts";
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
    ...gateway,
    tokens: new Map(tokens),
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
      const asked = { month: "2026-10", by: ["team"], format: "json", ...request } as const;
      const code = await report(asked, files, { ...terminal, clock });
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

/** More rows by app than the gateway sends. */
const manyApps = (at: number) => (gateway: Gateway) => {
  for (let index = 0; index <= 1000; index++)
    gateway.spend({ key: "stray", model: "acme/one", app: `App ${index}`, micros: 1, at, force: true });
};

describe("report", () => {
  test("the lines of the teams, the rest that no team owns, and the total", async () => {
    const { code, stdout, stderr } = await reported({ prepare: spendOfOctober });
    const { lines, rest, total, period, currency } = JSON.parse(stdout);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(lines).toMatchObject([
      { team: "payments", credits: 12.5, requests: 2, tokens: 20, cost: null },
      { team: "web", credits: 3, requests: 1, tokens: 10 },
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
      { team: "payments", credits: 12.5, cost: 10 * 0.9 + 2.5 * 2 },
      { team: "web", cost: 6 },
    ]);
    expect(rest).toMatchObject({ cost: 0.5 });
    expect(total).toMatchObject({ cost: 20.5 });
  });

  test("as CSV: the last day, the account's decimals, and no total, so that the sum of a column is the total", async () => {
    const stage = { prepare: spendOfOctober, content: { credit_value: { currency: "USD", value: 1.1 } } };
    const { stdout } = await reported({ ...stage, request: { format: "csv" } });
    expect(stdout.startsWith("\uFEFF")).toBe(true);
    expect(stdout.slice(1).trimEnd().split("\r\n")).toMatchInlineSnapshot(`
      [
        "period_start,period_end,line,team,credits,byok_credits,requests,tokens,cost,currency",
        "2026-10-01,2026-10-31,named,payments,12.50,0,2,20,13.750,USD",
        "2026-10-01,2026-10-31,named,web,3.00,0,1,10,3.300,USD",
        "2026-10-01,2026-10-31,rest,,0.25,0,1,10,0.275,USD",
      ]
    `);
    const german = await reported({ ...stage, request: { format: "csv", decimal: "comma" } });
    expect(german.stdout).toContain("2026-10-01;2026-10-31;named;payments;12,50;0;2;20;13,750;USD\r\n");
    const total = await reported({ ...stage, request: { format: "csv", totals: "row" } });
    expect(total.stdout.replace(stdout, "")).toBe("2026-10-01,2026-10-31,total,,15.75,0,4,40,17.325,USD\r\n");
  });

  test.each<[readonly ReportDimension[], readonly object[], number]>([
    [
      ["team", "key"],
      [
        { line: "named", team: "payments", key: "billing", credits: 10 },
        { line: "named", team: "web", key: "search", credits: 3 },
        { line: "named", team: "payments", key: "invoices", credits: 2.5 },
      ],
      0.25,
    ],
    [
      ["model", "team"],
      [
        { line: "named", model: "acme/one", team: "payments", credits: 12.5 },
        { line: "named", model: "acme/one", team: "web", credits: 3 },
      ],
      0.25,
    ],
    [["key", "app"], [{ key: "billing", app: "Desk", credits: 10 }, {}, {}, {}], 0],
    [
      ["team", "project"],
      [
        { line: "unnamed", team: "payments", project: "", credits: 12.5 },
        { line: "unnamed", team: "web", project: "", credits: 3 },
      ],
      0.25,
    ],
  ])("by two dimensions: %j", async (by, wanted, left) => {
    const { code, stdout } = await reported({ prepare: spendOfOctober, request: { by } });
    const { lines, rest, total } = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(lines).toMatchObject(wanted);
    expect([rest?.credits ?? 0, total.credits]).toEqual([left, 15.75]);
  });

  test.each<[readonly ReportDimension[]]>([[["team"]], [["team", "key"]], [["model"]]])(
    "as FOCUS by %j: the rules about numbers hold, also with two prices",
    async (by) => {
      const { stdout, code } = await reported({
        prepare: spendOfOctober,
        content: {
          credit_value: { currency: "EUR", value: 1.1, former: [{ until: "2026-10-16", value: 0.923456 }] },
        },
        request: { format: "focus", by, provider: "Acme", invoiceIssuer: "Acme Billing" },
      });
      expect(code).toBe(0);
      const charges = readCharges(stdout);
      expect(charges.length).toBeGreaterThan(1);
      expect(charges.flatMap(brokenRules)).toEqual([]);
      const sum = (column: string) => charges.reduce((added, charge) => added + Number(charge[column]), 0);
      expect(sum("PricingQuantity")).toBeCloseTo(15.75, 9);
      expect(sum("BilledCost")).toBeCloseTo(10 * 0.923456 + 5.75 * 1.1, 9);
      expect(charges[0]).toMatchObject({
        ProviderName: "Acme",
        PublisherName: "Acme",
        InvoiceIssuerName: "Acme Billing",
        SkuPriceId: "credits-0.923456-EUR",
      });
    },
  );

  test("as Markdown, with the change since the month before", async () => {
    const { stdout } = await reported({ prepare: spendOfOctober, request: { format: "markdown" } });
    expect(stdout).toContain("# Spend by team, 2026-10\n");
    expect(stdout).toContain("2026-10-01 to 2026-10-31 (UTC).");
    expect(stdout).toContain("| payments | 12.50 | 79.4 % | 2 | 20 | +78.6 % |");
    expect(stdout).toContain("| web | 3.00 | 19.0 % | 1 | 10 |");
    expect(stdout).toContain("| (not assigned) | 0.25 |");
    expect(stdout).toContain("| **total** | 15.75 | 100.0 % | 4 | 40 | +125.0 % |");
  });

  test("as Markdown, with what own keys at providers have paid", async () => {
    const { stdout } = await reported({
      prepare: (gateway) => {
        spendOfOctober(gateway);
        const paid = { model: "acme/one", micros: 50_000, byokMicros: 4_000_000, at: OCTOBER, force: true };
        gateway.spend({ key: "search", ...paid });
      },
      request: { format: "markdown" },
    });
    expect(stdout).toContain("| Team | Credits | Share | BYOK |");
    expect(stdout).toMatch(/\| web \| 3\.05 \| .* \| 4\.00 \|/);
    expect(stdout).toContain("BYOK: paid to providers with own keys, not with credits.");
  });

  test("as Markdown, without a change if the report of the month before is incomplete", async () => {
    const { stdout, code } = await reported({
      prepare: (gateway) => {
        spendOfOctober(gateway);
        manyApps(OCTOBER - 1)(gateway);
      },
      request: { format: "markdown", by: ["app"] },
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
      { team: "payments" },
      { team: "web" },
      { team: "ops", credits: 0.5 },
    ]);
  });

  test.each(["model", "team"] as const)("by %s, lines and rest equal the ledger", async (by) => {
    const { ask, gateway } = await setUp({
      options: { seed: 7, keys: 12, historyDays: 60, historySlotMs: 6 * 3_600_000 },
    });
    const { code, stdout, stderr } = await ask({ by: [by] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { lines, rest, total } = JSON.parse(stdout);
    const booked = gateway.books.analytics({ start: OCTOBER, end: OCTOBER + 31 * DAY }).total.integers;
    expect(Math.round(total.credits * 1e6)).toBe(booked["total_usage"] - booked["byok_usage"]);
    expect(total.credits).toBeGreaterThan(0);
    for (const amount of ["credits", "requests", "tokens"]) {
      const parts = [...lines, ...(rest ? [rest] : [])].map((line) => line[amount]);
      expect(decimalSum(parts)).toBe(total[amount]);
    }
  });
});

describe("report: what cannot be reported", () => {
  test.each(["json", "csv", "markdown"] as const)(
    "as %s, a month that the gateway has forgotten is not known, not 0",
    async (format) => {
      const { code, stdout, stderr } = await reported({
        prepare: spendOfOctober,
        request: { month: "2025-01", format },
      });
      expect(code).toBe(1);
      expect(stderr).toBe(
        "warning: the spend is not known: gateways remember it for 367 days, which is since 2025-11-16\n",
      );
      expect(stdout).not.toMatch(/\b0(?:\.0+)?\b(?!1)/);
      expect(stdout).toMatch(
        { json: /"credits": null/, csv: /currency\r\n$/, markdown: /not known/ }[format],
      );
    },
  );

  test.each([
    ["2026-13", 'Unknown month "2026-13" (--month): expected a month such as 2026-10'],
    ["2026-12", "Cannot report 2026-12 (--month): it has not begun"],
  ])("%s", async (month, message) => {
    await expect(reported({ request: { month } })).rejects.toThrow(message);
  });

  test.each<[string, Stage, RegExp]>([
    [
      "a range beyond the reach of the gateway",
      { options: { switches: { rangeLimits: true } }, request: { month: "2026-08", by: ["provider"] } },
      /^Cannot report 2026-08: Cannot query the analytics of "spend by provider": .*31/,
    ],
    [
      "an owner whose question fails",
      { prepare: ({ faults }) => void faults.add({ endpoint: "analytics", kind: "status", status: 403 }) },
      /^Cannot report 2026-10: Cannot query the analytics of "payments": gateway answered 403/m,
    ],
    [
      "a workspace whose list fails",
      {
        prepare: ({ faults }) => void faults.add({ endpoint: "keys", kind: "status", status: 403 }),
        content: { discovery: {} },
      },
      /^Cannot report 2026-10: Cannot list the keys of "default": gateway answered 403/m,
    ],
    [
      "no management key",
      { content: { analytics: undefined } },
      /a report needs the section analytics, with a management key\n$/,
    ],
    ["FOCUS without a currency", { request: { format: "focus" } }, /needs the section credit_value/],
  ])("%s: exit code 1, and nothing is printed", async (_, stage, message) => {
    const { code, stdout, stderr } = await reported(stage);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
  });

  test("more rows than the gateway sends is marked, and exit code 1", async () => {
    const { code, stdout, stderr } = await reported({
      prepare: manyApps(OCTOBER),
      request: { format: "markdown", by: ["app"] },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^warning: .*rows/);
    expect(stdout).toContain("> **Incomplete:** ");
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
