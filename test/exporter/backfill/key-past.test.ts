import { describe, expect, test } from "vitest";
import type { PastAnswer } from "../../../exporter/backfill/answers.ts";
import { createKeyPast } from "../../../exporter/backfill/key-past.ts";
import { type BackfillPlan, bucketsOf, sampleTimes } from "../../../exporter/backfill/plan.ts";
import { DEFAULT_PLAN, HASH, HOUR, KEY as KEY_WITHOUT_USAGE } from "./default-plan.ts";

const DAY = 24 * HOUR;
const DAY_WINDOW = { startMs: 0, endMs: DAY };
const KEY = { ...KEY_WITHOUT_USAGE, usage: 9 };

/** Credits, BYOK and requests of one hour after another. */
type Hours = readonly (readonly (number | null)[])[];

/** The last value of each family of a key at the end of the day, by the series. */
function lastOf(hours: Hours, keys: BackfillPlan["keys"] = [KEY], answer: Partial<PastAnswer> = {}) {
  const plan = { ...DEFAULT_PLAN, keys };
  const past = createKeyPast(plan, bucketsOf(plan));
  const rows = hours.map((amounts, hour) => ({ startMs: hour * HOUR, labels: [], amounts: [...amounts] }));
  past.add({ subject: HASH, range: DAY_WINDOW, isByokUnknown: false, rows, ...answer });
  const series = [...past.series(DAY_WINDOW, sampleTimes(DAY_WINDOW, DAY))];
  return new Map(series.map(({ family, labels, values }) => [`${family.name}{${labels}}`, values.at(-1)]));
}

const USAGE = 'aigateway_key_usage_day_credits{key="billing"}';
const BYOK = 'aigateway_key_byok_usage_day_credits{key="billing"}';
const BYOK_TOTAL = 'aigateway_key_byok_usage_credits{key="billing"}';

describe("BYOK of a key", () => {
  const [WITHOUT, WITH] = [
    [1, null, 1],
    [1, 3, 1],
  ] as const;
  test.each<[string, Hours, number | undefined]>([
    ["is none in hours without an amount, if others have one", [WITHOUT, WITH], 3],
    ["is not known if the gateway reports none at all", [WITHOUT, WITHOUT], undefined],
    ["is not known if the requests are not known either", [[1, null, null]], undefined],
    ["is none without requests", [[0, null, 0]], 0],
  ])("%s", (_, hours, byok) => {
    const last = lastOf(hours);
    expect(last.get(BYOK)).toBe(byok);
    expect(last.get(USAGE)).toBe(hours.reduce((sum, [credits]) => sum + (credits ?? 0), 0));
  });

  test("is none if its all-time sum is 0", () => {
    const last = lastOf([[1, null, 1]], [{ ...KEY, byokUsage: 0 }]);
    expect([last.get(BYOK), last.get(BYOK_TOTAL)]).toEqual([0, 0]);
  });

  test("of all time is not known if it is not known since the live series began", () => {
    const keys = [{ ...KEY, byokUsage: 7 }];
    const after = lastOf([[2, null, 4]], keys, { isAfter: true });
    expect([after.get(BYOK), after.get(BYOK_TOTAL)]).toEqual([undefined, undefined]);
    expect(after.get('aigateway_key_usage_credits{key="billing"}')).toBe(7);
  });
});

test("two names of one secret have the same past", () => {
  const last = lastOf([[4, 0, 1]], [KEY, { ...KEY, name: "twin" }]);
  expect([last.get(USAGE), last.get('aigateway_key_usage_day_credits{key="twin"}')]).toEqual([4, 4]);
});
