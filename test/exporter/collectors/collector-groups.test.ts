import { describe, expect, test } from "vitest";
import { collectorHeaders } from "../../../exporter/collectors/collector-groups.ts";

/** The HELP text of a family while all collectors run at this interval. */
function helpOf(name: string, intervalMs: number): string | undefined {
  return collectorHeaders(() => intervalMs).find(({ family }) => family.name === name)?.help;
}

describe("collectorHeaders(): how often a family is polled", () => {
  test.each([
    ["aigateway_key_usage_credits", 60_000, "Polled every 60 s; see aigateway_key_last_success"],
    ["aigateway_usage_month_credits", 300_000, "Polled every 300 s; see aigateway_analytics_last_success"],
    ["aigateway_usage_last_month_credits", 300_000, "Polled every 3600 s; see"],
    ["aigateway_usage_last_month_credits", 86_400_000, "Polled every 86400 s; see"],
    [
      "aigateway_analytics_rows",
      300_000,
      "Polled every 300 s, last_month and configured queries with the window last_day or last_month every 3600 s; see",
    ],
    [
      "aigateway_query_credits",
      300_000,
      "Polled every 300 s, queries with the window last_day or last_month every 3600 s; see",
    ],
  ])("%s at %i ms", (name, intervalMs, text) => {
    expect(helpOf(name, intervalMs)).toContain(text);
  });

  test("the time of the last success names no interval", () => {
    expect(helpOf("aigateway_analytics_last_success_timestamp_seconds", 60_000)).not.toContain("Polled");
  });
});
