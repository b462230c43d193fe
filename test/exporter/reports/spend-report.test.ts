import { describe, expect, test } from "vitest";
import type { Config, Owner } from "../../../exporter/config/config.ts";
import { Secret } from "../../../exporter/secrets/secret.ts";
import type { AccountKeys } from "../../../exporter/gateway/account.ts";
import { NO_RATES, type Total, type Usage, type UsageQuestion } from "../../../exporter/gateway/port.ts";
import { csvLine, csvReport } from "../../../exporter/reports/csv.ts";
import { markdownReport } from "../../../exporter/reports/markdown.ts";
import { lastPeriod, type ReportDimension } from "../../../exporter/reports/report.ts";
import { createSpendReport } from "../../../exporter/reports/spend-report.ts";
import { amountsOf, NO_USAGE } from "../../support/fake-client.ts";
import { testConfig, testKey } from "../../support/test-config.ts";

const NOVEMBER = Date.UTC(2026, 10, 1);
const NOON = Date.UTC(2026, 10, 18, 12);
const MINUTE = 60_000;
const NONE: Total = { amounts: amountsOf({}), empty: true };

function totalOf(amounts: Parameters<typeof amountsOf>[0]): Total {
  return { amounts: amountsOf({ byokCredits: 0, requests: 1, tokens: 1, ...amounts }), empty: false };
}

function usageOf(total: Total | undefined, lines: Readonly<Record<string, number | undefined>> = {}): Usage {
  const pairs = Object.entries(lines).map(([model, credits]) => ({
    model,
    app: null,
    amounts: amountsOf({ credits, byokCredits: 0, requests: credits === undefined ? 1 : 0, tokens: 0 }),
    rates: NO_RATES,
  }));
  return { ...NO_USAGE, total, pairs };
}

/** The answer about the keys of an owner, of an account that has spent 3 in all. */
function ofKeys(usage: Usage) {
  return ({ filters = [] }: UsageQuestion) => (filters.length > 0 ? usage : usageOf(totalOf({ credits: 3 })));
}

interface Stage {
  readonly answer: Usage | ((question: UsageQuestion) => Usage);
  readonly by?: ReportDimension | readonly ReportDimension[];
  readonly nowMs?: number;
  readonly config?: Partial<Config>;
}

/** A report of October. */
async function reportOf({ answer, by = "model", nowMs = NOON, config }: Stage) {
  const gateway = {
    usage: (question: UsageQuestion) =>
      Promise.resolve(typeof answer === "function" ? answer(question) : answer),
    accountKeys: (): Promise<AccountKeys> => Promise.reject(new Error("there is no list")),
  };
  const period = lastPeriod("month", NOVEMBER);
  return createSpendReport(testConfig(config), { by: [by].flat(), period }, nowMs, gateway);
}

const key = testKey("a", {
  secret: { origin: "a", read: () => new Secret("sk-a-0123456789"), hash: () => "a".repeat(64) },
  owner: { team: "web", project: "", costCenter: "" },
});

describe("nothing was used", () => {
  test("an account without usage has spent 0, without a problem", async () => {
    const { total, rest, problems } = await reportOf({ answer: usageOf(NONE) });
    expect(total).toMatchObject({ credits: 0, byokCredits: 0, requests: 0, tokens: 0 });
    expect([rest, problems]).toEqual([undefined, []]);
  });

  test("a part of the period without usage adds 0 to the other one", async () => {
    const untilMs = Date.UTC(2026, 9, 16);
    const creditValue = { currency: "EUR", value: 2, former: [{ untilMs, value: 1 }] };
    const answer = ({ range }: UsageQuestion) =>
      usageOf(range.startMs < untilMs ? NONE : totalOf({ credits: 3 }), {});
    const { total, problems } = await reportOf({ answer, config: { creditValue } });
    expect(total).toMatchObject({ credits: 3, cost: 6 });
    expect(problems).toEqual([]);
  });

  test("keys that the gateway does not know may have spent something", async () => {
    const unknown = { ...usageOf({ ...NONE, gap: "warned" }), warnings: 1 };
    const answer = ofKeys(unknown);
    const { lines } = await reportOf({ answer, by: "team", config: { keys: [key] } });
    expect(lines).toMatchObject([{ names: ["web"], credits: undefined }]);
  });
});

describe("rounding errors are no rest", () => {
  test.each([
    ["more", 0.1 + 0.2],
    ["less", 0.7 - 0.4],
  ])("a total that the gateway added up as binary fractions, a bit %s", async (_, credits) => {
    const answer = usageOf(totalOf({ credits, requests: 0, tokens: 0 }), { one: 0.1, two: 0.2 });
    const { rest, problems } = await reportOf({ answer });
    expect([rest, problems]).toEqual([undefined, []]);
  });

  test("costs of more digits than a number has", async () => {
    const creditValue = { currency: "EUR", value: 0.923456, former: [] };
    const lines = { one: 1234.567891, two: 2345.678912, three: 4567.891237 };
    const answer = usageOf(totalOf({ credits: 8148.13804, requests: 0, tokens: 0 }), lines);
    expect(csvReport(await reportOf({ answer, config: { creditValue } }), "none")).not.toMatch(/rest/);
  });
});

describe("answers that cannot be trusted", () => {
  test.each<[string, Partial<Usage>, RegExp]>([
    [
      "a part of the total",
      { total: { ...totalOf({ credits: 1 }), gap: "cut" } },
      /only a part of the total/,
    ],
    ["counted before the end", { computedAtMs: NOVEMBER - MINUTE }, /before the period was settled/],
    ["counted just after the end", { computedAtMs: NOVEMBER + MINUTE }, /before the period was settled/],
  ])("%s: a problem", async (_, change, problem) => {
    const answer = { ...usageOf(totalOf({ credits: 1 }), { one: 1 }), ...change };
    for (const by of ["model", "team"] as const) {
      const { problems } = await reportOf({ answer, by, config: { keys: [key] } });
      expect(problems).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
    }
  });

  test("asked just after the end: a problem", async () => {
    const answer = usageOf(totalOf({ credits: 1, requests: 0, tokens: 0 }), { one: 1 });
    expect((await reportOf({ answer, nowMs: NOVEMBER + MINUTE })).problems).toHaveLength(1);
    expect((await reportOf({ answer, nowMs: NOVEMBER + 2 * MINUTE })).problems).toEqual([]);
  });
});

describe("what is missing is named", () => {
  const BYOK = /^the credits may contain usage that your own provider keys paid for \(BYOK\)/;

  test.each(["model", "team"] as const)("by %s: credits that may contain BYOK, once", async (by) => {
    const answer = { ...usageOf(totalOf({ credits: 1 }), { one: 1 }), creditsSource: "total" } as const;
    const { problems } = await reportOf({ answer, by, config: { keys: [key] } });
    expect(problems.filter((problem) => BYOK.test(problem))).toHaveLength(1);
    const certain = await reportOf({ answer: { ...answer, creditsSource: "total_less_byok" }, by });
    expect(certain.problems.filter((problem) => BYOK.test(problem))).toEqual([]);
  });

  test("lines without credits", async () => {
    const unknown = { "": undefined, "m\n1": undefined, m2: undefined, m3: undefined };
    const answer = usageOf(totalOf({ credits: 100, requests: 4, tokens: 0 }), { ...unknown, known: 60 });
    const { problems, rest } = await reportOf({ answer });
    expect(rest).toMatchObject({ credits: 40 });
    expect(problems).toEqual([
      'the gateway did not send the credits of (no model), "m 1", "m2", "m3", so they are part of the rest',
    ]);
  });

  test("a total without credits", async () => {
    const answer = usageOf({ amounts: amountsOf({ requests: 5 }), empty: false });
    expect((await reportOf({ answer })).problems).toEqual([
      'the gateway did not send the credits of the total of "the account"',
      "the credits of the total are not known",
    ]);
  });

  test("tokens of a line, if not all tokens belong to lines", async () => {
    const row = { model: "speech", app: null, rates: NO_RATES };
    const pairs = [{ ...row, amounts: amountsOf({ credits: 1, byokCredits: 0, requests: 1 }) }];
    const problemsOf = async (tokens: number) =>
      (await reportOf({ answer: { ...usageOf(totalOf({ credits: 1, tokens })), pairs } })).problems;
    expect(await problemsOf(0)).toEqual([]);
    expect(await problemsOf(7)).toEqual([
      'the gateway did not send the tokens of "speech", so they are part of the rest',
    ]);
  });
});

const twinOf = (owner: Partial<Owner>) => ({ ...key, name: "b", owner: { ...key.owner, ...owner } });

describe("two names of one secret", () => {
  const web = usageOf(totalOf({ credits: 2, requests: 0, tokens: 0 }));

  test("with another team belong to no line, and are named", async () => {
    const config = { keys: [key, twinOf({ team: "pay" })] };
    const asked = await reportOf({ answer: ofKeys(web), by: "team", config });
    expect(asked.lines).toEqual([]);
    expect(asked.rest).toMatchObject({ credits: 3 });
    expect(asked.problems).toEqual([
      'the keys "a" and "b" have the same secret but not the same team, so their spend is part of the rest',
    ]);
  });

  test("with the same team count once", async () => {
    const config = { keys: [key, twinOf({ costCenter: "7" })] };
    const { lines, problems } = await reportOf({ answer: ofKeys(web), by: "team", config });
    expect([lines, problems]).toMatchObject([[{ names: ["web"], credits: 2 }], []]);
    const byCenter = await reportOf({ answer: ofKeys(web), by: "cost_center", config });
    expect(byCenter.problems).toEqual([expect.stringMatching(/not the same cost center, so their spend/)]);
  });
});

test("Markdown: the sum of lines of which one is not known is not known", async () => {
  const names = Array.from(
    { length: 12 },
    (_, index) => [`m${index}`, index < 11 ? 20 - index : undefined] as const,
  );
  const answer = usageOf(totalOf({ credits: 200 }), Object.fromEntries(names));
  expect(markdownReport(await reportOf({ answer }), undefined)).toMatch(/\| 2 others \| not known \|/);
});

test.each([
  [0.1, "0.1"],
  [123456789012345680000, "123456789012345680000"],
  [-1e30, "-1000000000000000000000000000000"],
  [5e-7, "0.0000005"],
  [1.234567890123456e-25, "0.0000000000000000000000001234567890123456"],
])("%d has all its digits", (value, text) => {
  expect(csvLine([value, undefined])).toBe(`${text},\r\n`);
});

test.each([
  ["=1+1", "'=1+1"],
  ["@app", "'@app"],
  ["  +1", "'  +1"],
  ["＝1＋1", "'＝1＋1"],
  ["\t1", "'\t1"],
  // Some countries separate cells by semicolons.
  ["app;=1+1", "app;'=1+1"],
  ["app\n-1", '"app\n\'-1"'],
  ["acme/one-2 (a+b)", "acme/one-2 (a+b)"],
])("csvLine() writes the text %j so that it is no formula", (text, cell) => {
  expect(csvLine([text])).toBe(`${cell}\r\n`);
});

test("csvLine() separates cells by semicolons where the decimal sign is a comma, and quotes names with one", () => {
  expect(csvLine([0.5, "a,b", "a;b", 2], "comma")).toBe('0,5;a,b;"a;b";2\r\n');
});
