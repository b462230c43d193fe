import { describe, expect, test } from "vitest";
import type { Config, Owner } from "../../../exporter/config/config.ts";
import { Secret } from "../../../exporter/config/secret.ts";
import type { AccountKeys } from "../../../exporter/gateway/account.ts";
import { NO_RATES, type Total, type Usage, type UsageQuestion } from "../../../exporter/gateway/port.ts";
import { csvReport } from "../../../exporter/reports/csv.ts";
import { markdownReport } from "../../../exporter/reports/markdown.ts";
import { lastPeriod } from "../../../exporter/reports/period.ts";
import type { ReportDimension } from "../../../exporter/reports/report.ts";
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
  readonly by?: ReportDimension;
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
  return createSpendReport(testConfig(config), { by, period }, nowMs, gateway);
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

  test("an owner whose keys were not used has spent 0", async () => {
    const answer = ofKeys(usageOf(NONE));
    const { lines, rest, problems } = await reportOf({ answer, by: "team", config: { keys: [key] } });
    expect(lines).toMatchObject([{ name: "web", credits: 0, requests: 0, tokens: 0 }]);
    expect(rest).toMatchObject({ credits: 3 });
    expect(problems).toEqual([]);
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
    expect(lines).toMatchObject([{ name: "web", credits: undefined }]);
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
    expect(csvReport(await reportOf({ answer, config: { creditValue } }))).not.toMatch(/rest/);
  });

  test("a small real rest is one", async () => {
    const answer = usageOf(totalOf({ credits: 0.300001, requests: 0, tokens: 0 }), { one: 0.1, two: 0.2 });
    expect((await reportOf({ answer })).rest).toMatchObject({ credits: 0.000001 });
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

  test("a running period is counted until the gateway has counted", async () => {
    const computedAtMs = NOVEMBER - 90 * MINUTE;
    const answer = { ...usageOf(totalOf({ credits: 1 }), { one: 1 }), computedAtMs };
    const { untilMs, problems } = await reportOf({ answer, nowMs: NOVEMBER - 60 * MINUTE });
    expect([untilMs, problems]).toEqual([computedAtMs, []]);
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

  test("an account without usage has no BYOK", async () => {
    const { problems } = await reportOf({ answer: { ...usageOf(NONE), creditsSource: "total" } });
    expect(problems).toEqual([]);
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

  test("of many lines without credits, the first ones", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`m${index}`, undefined]));
    const answer = usageOf(totalOf({ credits: 1, requests: 9, tokens: 0 }), unknown);
    expect((await reportOf({ answer })).problems).toEqual([
      'the gateway did not send the credits of "m0", "m1", "m2", "m3", "m4" and 4 others, so they are part of the rest',
    ]);
  });

  test("a line without requests has spent nothing", async () => {
    const idle = { model: "idle", app: null, rates: NO_RATES, amounts: amountsOf({ requests: 0 }) };
    const answer = { ...usageOf(totalOf({ credits: 1 }), { one: 1 }), pairs: [idle] };
    const { lines, problems } = await reportOf({ answer });
    expect(lines).toMatchObject([{ name: "idle", credits: 0 }]);
    expect(problems).not.toContainEqual(expect.stringMatching(/no credits/));
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

  test("an owner's total without credits", async () => {
    const answer = ofKeys(usageOf({ amounts: amountsOf({ requests: 5 }), empty: false }));
    const { lines, problems } = await reportOf({ answer, by: "team", config: { keys: [key] } });
    expect(lines).toMatchObject([{ name: "web", credits: undefined }]);
    expect(problems).toEqual(['the gateway did not send the credits of the total of "web"']);
  });
});

const twinOf = (owner: Partial<Owner>) => ({ ...key, name: "b", owner: { ...key.owner, ...owner } });

describe("two names of one secret", () => {
  const web = usageOf(totalOf({ credits: 2, requests: 0, tokens: 0 }));

  test.each<[string, Partial<Owner>]>([
    ["another team", { team: "pay" }],
    ["no team", { team: "" }],
  ])("with %s belong to no line, and are named", async (_, owner) => {
    const asked = await reportOf({ answer: ofKeys(web), by: "team", config: { keys: [key, twinOf(owner)] } });
    expect(asked.lines).toEqual([]);
    expect(asked.rest).toMatchObject({ credits: 3 });
    expect(asked.problems).toEqual([
      'the keys "a" and "b" have the same secret but not the same team, so their spend is part of the rest',
    ]);
  });

  test("with the same team count once", async () => {
    const questions: UsageQuestion[] = [];
    const answer = (question: UsageQuestion) => {
      questions.push(question);
      return ofKeys(web)(question);
    };
    const config = { keys: [key, twinOf({ costCenter: "7" })] };
    const { lines, problems } = await reportOf({ answer, by: "team", config });
    expect([lines.length, problems]).toEqual([1, []]);
    expect(questions[0]?.filters).toMatchObject([{ values: ["a".repeat(64)] }]);
    const byCenter = await reportOf({ answer, by: "cost_center", config });
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
