import { describe, expect, test } from "vitest";
import { askPast, type PastGateway } from "../../../exporter/backfill/ask-past.ts";
import type { PastAnswer } from "../../../exporter/backfill/answers.ts";
import type { BackfillPlan } from "../../../exporter/backfill/plan.ts";
import { NO_AMOUNTS, type Total, type Usage, type UsageAnswer } from "../../../exporter/gateway/port.ts";

const HOUR = 3_600_000;
const HASH = "a".repeat(64);
const PLAN: BackfillPlan = {
  version: 1,
  request: "",
  format: "openmetrics",
  job: "",
  target: "",
  stepMs: HOUR,
  top: 10,
  plannedAtMs: 3 * HOUR,
  startMs: 0,
  untilMs: 2 * HOUR,
  dataStartMs: 0,
  hoursStartMs: 0,
  keys: [{ hash: HASH, name: "billing", owner: { team: "", project: "", costCenter: "" } }],
};
const NOTHING_ANSWERED = {
  count: () => 0,
  has: () => false,
  isAfterKnown: () => false,
  pairsUntilMs: () => undefined,
};
const WHOLE: UsageAnswer = {
  creditsSource: "credits",
  unreadableRows: 0,
  rowProblem: undefined,
  truncated: false,
  warnings: 0,
  computedAtMs: undefined,
  queryTimeMs: undefined,
};

/** What the backfill keeps of a gateway whose answers have these parts. */
async function keptOf(total: Total | undefined, ofTotal: object = {}, ofSeries: object = {}) {
  const usage: Usage = { ...WHOLE, pairs: [], total, rows: 1, ...ofTotal };
  const gateway: PastGateway = {
    usage: () => Promise.resolve(usage),
    usageSeries: () => Promise.resolve({ ...WHOLE, rows: [], ...ofSeries }),
  };
  const kept: PastAnswer[] = [];
  for await (const answer of askPast(PLAN, NOTHING_ANSWERED, gateway)) kept.push(answer);
  return kept.filter(({ isAfter }) => isAfter).flatMap(({ rows }) => rows.map(({ amounts }) => amounts));
}

describe("what a key has used since the live series began", () => {
  test.each<[string, Total, readonly number[]]>([
    ["credits", { amounts: { ...NO_AMOUNTS, credits: 2 }, empty: false }, [2, 0]],
    ["credits and BYOK", { amounts: { ...NO_AMOUNTS, credits: 2, byokCredits: 3 }, empty: false }, [2, 3]],
    ["nothing", { amounts: NO_AMOUNTS, empty: true }, [0, 0]],
  ])("is %s", async (_, total, amounts) => {
    expect(await keptOf(total)).toEqual([amounts]);
  });

  const total = { amounts: { ...NO_AMOUNTS, credits: 2 }, empty: false };
  test.each<[string, Total | undefined, object, RegExp]>([
    ["the total is missing", undefined, {}, /reports no credits between 1970-01-01T02:00/],
    ["only its requests are known", { amounts: NO_AMOUNTS, empty: false }, {}, /reports no credits/],
    ["rows are cut", total, { truncated: true }, /does not send all rows/],
    ["a row is unreadable", total, { unreadableRows: 1, rowProblem: "usage" }, /1 rows .* cannot be read/],
    ["the filter is not resolved", total, { warnings: 1 }, /cannot filter by the key aaaaaaaa…/],
  ])("is an error if %s", async (_, known, ofTotal, message) => {
    await expect(keptOf(known, ofTotal)).rejects.toThrow(message);
  });
});

test("hours of a key are an error if the filter is not resolved", async () => {
  const total = { amounts: NO_AMOUNTS, empty: true };
  await expect(keptOf(total, {}, { warnings: 1 })).rejects.toThrow(/cannot filter by the key aaaaaaaa…/);
});
