import { expect, test } from "vitest";
import { type UsageSeries, NO_AMOUNTS } from "../../../exporter/gateway/port.ts";
import { WHOLE_ANSWER } from "../../../exporter/gateway/usage.ts";
import type { Window } from "../../../exporter/time/window.ts";
import { createLookBack } from "../../../exporter/collectors/history.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-18T12:30:00Z");
const WEEK = { startMs: Date.parse("2026-11-11T00:00:00Z"), endMs: NOW };
/** Whole hours of the range, and the present one. */
const HOURS = 7 * 24 + 13;

/** A service with so many rows in an hour, which sends so many at most: the others are cut off, or make the answer fail. */
function service(rowsOfHour: number, most = Infinity, fails = false) {
  const asked: number[] = [];
  const ask = async ({ startMs, endMs }: Window): Promise<UsageSeries> => {
    const hours = Math.ceil((endMs - startMs) / HOUR);
    asked.push(hours);
    const isCut = hours * rowsOfHour > most;
    if (isCut && fails) throw new Error("too large");
    const rows = Array.from({ length: Math.min(most, hours * rowsOfHour) }, (_, index) => {
      return { startMs: startMs + Math.floor(index / rowsOfHour) * HOUR, labels: [], amounts: NO_AMOUNTS };
    });
    return { ...WHOLE_ANSWER, rows, truncated: isCut, creditsSource: "credits" };
  };
  return { asked, ask };
}

test.each([
  { what: "a small account", service: service(12), asked: [6, HOURS - 6], answered: HOURS, later: [HOURS] },
  { what: "a large one", service: service(250), asked: [6, 9, 9, 9], answered: 33, later: [9] },
  { what: "a huge one", service: service(10_000), asked: [6, 1, 1, 1], answered: 9, later: [1] },
  { what: "a low cap", service: service(40, 1000), asked: [6, 62, 31, 15], answered: 21, later: [19] },
])("createLookBack asks for the newest hours first, then for as many as answers hold: $what", async (row) => {
  const lookBack = createLookBack();
  const { range, rows, truncated } = await lookBack(row.service.ask, WEEK);
  expect({ asked: row.service.asked, truncated }).toEqual({ asked: row.asked, truncated: false });
  expect(Math.ceil((range.endMs - range.startMs) / HOUR)).toBe(row.answered);
  expect(rows[0]?.startMs).toBe(range.startMs);
  await lookBack(row.service.ask, WEEK);
  expect(row.service.asked.slice(row.asked.length)).toEqual(row.later);
});

test("createLookBack asks for fewer hours after an answer that was too large, and keeps the newer ones", async () => {
  const { ask, asked } = service(500, 1900, true);
  const lookBack = createLookBack();
  await expect(lookBack(ask, WEEK)).rejects.toThrow("too large");
  expect((await lookBack(ask, WEEK)).rows).toHaveLength(1500);
  expect(asked).toEqual([6, 3, 4]);
});
