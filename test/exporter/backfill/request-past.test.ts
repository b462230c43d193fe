import { describe, expect, test } from "vitest";
import { requestPast, type PastGateway } from "../../../exporter/backfill/request-past.ts";
import { WHOLE_ANSWER } from "../../../exporter/gateway/usage.ts";
import type { PastAnswer } from "../../../exporter/backfill/answers.ts";
import {
  type Amounts,
  NO_AMOUNTS,
  type SeriesQuestion,
  type Total,
  type Usage,
  type UsageAnswer,
} from "../../../exporter/gateway/port.ts";
import { DEFAULT_PLAN, HOUR, KEY, NOTHING_ANSWERED } from "./default-plan.ts";

/** Two hours are written, one hour before the plan was made. */
const PLAN = { ...DEFAULT_PLAN, plannedAtMs: 3 * HOUR, untilMs: 2 * HOUR };
const WHOLE: UsageAnswer = { ...WHOLE_ANSWER, creditsSource: "credits" };

function refuse(_hash: string, error: unknown): never {
  throw error;
}

/** What the backfill keeps of a gateway whose answers have these parts. */
async function keptOf(
  total: Total | undefined,
  ofTotal: object = {},
  ofSeries: (question: SeriesQuestion) => object = () => ({}),
  plan = PLAN,
) {
  const usage: Usage = { ...WHOLE, pairs: [], total, rows: 1, ...ofTotal };
  const gateway: PastGateway = {
    usage: () => Promise.resolve(usage),
    usageSeries: (question) => Promise.resolve({ ...WHOLE, rows: [], ...ofSeries(question) }),
  };
  const kept: PastAnswer[] = [];
  for await (const answer of requestPast(plan, NOTHING_ANSWERED, gateway, refuse)) kept.push(answer);
  const rows = kept.filter(({ isAfter }) => isAfter).flatMap((answer) => answer.rows);
  return rows.map(({ amounts }) => amounts.slice(0, 3));
}

describe("what a key has used since the live series began", () => {
  test("is 0 if nothing was used", async () => {
    expect(await keptOf({ amounts: NO_AMOUNTS, empty: true })).toEqual([[0, null, 0]]);
  });

  const total = { amounts: { ...NO_AMOUNTS, credits: 2 }, empty: false };
  test.each<[string, Total | undefined, object, RegExp]>([
    ["the total is missing", undefined, {}, /does not report the credits between 1970-01-01T02:00/],
    ["only its requests are known", { amounts: NO_AMOUNTS, empty: false }, {}, /does not report the credits/],
    ["its total has several rows", { ...total, gap: "cut" }, {}, /does not send all rows/],
    ["a row is unreadable", total, { unreadableRows: 1, rowProblem: "usage" }, /1 rows .* cannot be read/],
    ["it is older than its time", total, { computedAtMs: 2 * HOUR }, /figures of .*: run it again later/],
    ["the filter is not resolved", total, { warnings: 1 }, /cannot filter by it/],
  ])("is an error if %s", async (_, known, ofTotal, message) => {
    await expect(keptOf(known, ofTotal)).rejects.toThrow(message);
  });
});

const row = (amounts: Partial<Amounts>, labels: readonly string[] = []) => ({
  startMs: HOUR,
  labels,
  amounts: { ...NO_AMOUNTS, ...amounts },
});
/** A gateway whose answer to one kind of question has these parts. */
const only = (wanted: "account" | "key" | "pairs", answer: object) => (question: SeriesQuestion) => {
  const isKey = (question.filters ?? []).length > 0;
  const asked = isKey ? "key" : question.dimensions.length > 0 ? "pairs" : "account";
  return asked === wanted ? answer : {};
};

describe("hours and days", () => {
  const nothing = { amounts: NO_AMOUNTS, empty: true };
  test.each([
    ["account", "the account"],
    ["key", "billing"],
    ["pairs", "models and apps"],
  ] as const)(
    "of the %s are an error if they have requests and their credits are missing",
    async (subject, name) => {
      const rows = [row({ requests: 5 }, subject === "pairs" ? ["m", "a"] : [])];
      await expect(keptOf(nothing, {}, only(subject, { rows }))).rejects.toMatchObject({
        subject: name,
        message:
          "the gateway does not report the credits between 1970-01-01T01:00:00.000Z and 1970-01-01T02:00:00.000Z",
      });
    },
  );

  test("of a key are an error if one has several rows", async () => {
    const rows = [row({ credits: 1 }), row({ credits: 2 })];
    await expect(keptOf(nothing, {}, only("key", { rows }))).rejects.toThrow(/several rows for one hour/);
  });
});

test("a secret with two names is asked for once", async () => {
  const plan = { ...PLAN, keys: [KEY, { ...KEY, name: "twin" }] };
  let requests = 0;
  const count = () => {
    requests++;
    return {};
  };
  await keptOf({ amounts: NO_AMOUNTS, empty: true }, {}, count, plan);
  const ofOne = requests;
  await keptOf({ amounts: NO_AMOUNTS, empty: true }, {}, count);
  expect(requests).toBe(2 * ofOne);
});
