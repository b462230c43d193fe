import { describe, expect, test } from "vitest";
import type { Sample } from "../../../exporter/metrics/family.ts";
import { changed, samplesOf } from "./key-exposition.ts";

const iso = (ms: number) => new Date(ms).toISOString().replace("T00:00:00.000Z", "");

/** The window of each family's samples as days, `-` for none. */
function windowsOf(samples: readonly Sample[]): Readonly<Record<string, string>> {
  const entries = samples.map(({ family, window }) => [
    family.name.replace("aigateway_key_", ""),
    window === undefined ? "-" : `${iso(window.startMs)} ${iso(window.endMs)}`,
  ]);
  return Object.fromEntries(entries);
}

const [DAY, WEEK, MONTH] = ["2026-11-18 2026-11-19", "2026-11-16 2026-11-23", "2026-11-01 2026-12-01"];

describe("keySamples: the window of each sample", () => {
  test("all families", () => {
    const fields = {
      expires_at: "2027-01-01T00:00:00Z",
      free_model_daily_requests: { limit: 50, used: 12, remaining: 38 },
    };
    expect(windowsOf(samplesOf(changed(fields), { showLabel: true }))).toEqual({
      info: "-",
      unlimited: "-",
      limit_credits: "-",
      limit_remaining_credits: MONTH,
      limit_reset: "-",
      limit_next_reset_timestamp_seconds: MONTH,
      limit_window_start_timestamp_seconds: MONTH,
      usage_credits: "-",
      usage_day_credits: DAY,
      usage_week_credits: WEEK,
      usage_month_credits: MONTH,
      byok_usage_credits: "-",
      byok_usage_day_credits: DAY,
      byok_usage_week_credits: WEEK,
      byok_usage_month_credits: MONTH,
      byok_in_limit: "-",
      free_tier: "-",
      expiry_timestamp_seconds: "-",
      free_requests_day_limit: DAY,
      free_requests_day_used: DAY,
      free_requests_day_remaining: DAY,
    });
  });

  test.each<[unknown, string | undefined, string | undefined]>([
    ["daily", DAY, DAY],
    ["weekly", WEEK, WEEK],
    ["monthly", MONTH, MONTH],
    [null, "-", undefined],
    // An unknown reset may happen at any midnight, so the remaining credits are valid until the next one.
    ["hourly", DAY, undefined],
    [undefined, DAY, undefined],
  ])("the remainder of a limit with reset %j: %s", (reset, remaining, next) => {
    const windows = windowsOf(samplesOf(changed({ limit_reset: reset })));
    expect(windows["limit_remaining_credits"]).toBe(remaining);
    expect(windows["limit_next_reset_timestamp_seconds"]).toBe(next);
    expect(windows["limit_window_start_timestamp_seconds"]).toBe(next);
    expect(windows["limit_credits"]).toBe("-");
  });
});
