import { describe, expect, test } from "vitest";
import { utcMilliseconds } from "../../../exporter/time/utc-time.ts";
import { moveTo, ZONES } from "../../support/time-zone.ts";

const FORMS: readonly [string, string | undefined][] = [
  ["2026-11-20T00:00:00.000Z", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20T00:00:00Z", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20T00:00:00z", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20t01:02:03Z", "2026-11-20T01:02:03.000Z"],
  ["2026-11-20T00:00:00.123456789Z", "2026-11-20T00:00:00.123Z"],
  ["2026-11-20T13:45:00", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20 13:45:00", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20 13:45:00.5", "2026-11-20T13:45:00.500Z"],
  ["2026-11-20T13:45", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20T13:45Z", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20 13:45:00 Z", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20", "2026-11-20T00:00:00.000Z"],
  ["2026-11", "2026-11-01T00:00:00.000Z"],
  [" 2026-11-20 ", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20T00:00:00+02:00", "2026-11-19T22:00:00.000Z"],
  ["2026-11-20T00:00:00-0800", "2026-11-20T08:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2027-02-29", undefined],
  ["2026-02-30T00:00:00Z", undefined],
  ["2026-13-01", undefined],
  ["2026-11-20T25:00:00Z", undefined],
  ["2026-11-20T00:00:00+99:99", undefined],
  ["2026-11-20T", undefined],
  ["20261120", undefined],
  ["20/11/2026", undefined],
  ["November 20, 2026", undefined],
  ["1795132800", undefined],
  ["tomorrow", undefined],
  ["", undefined],
];

describe("utcMilliseconds", () => {
  test.each(ZONES.flatMap((zone) => FORMS.map(([text, wanted]) => ({ zone, text, wanted }))))(
    "$text on a machine in $zone: $wanted",
    ({ zone, text, wanted }) => {
      moveTo(zone);
      const ms = utcMilliseconds(text);
      expect(ms === undefined ? undefined : new Date(ms).toISOString()).toBe(wanted);
    },
  );
});
