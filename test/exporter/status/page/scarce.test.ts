import { describe, expect, test } from "vitest";
import type { KeyRow } from "../../../../exporter/status/target-rows.ts";
import { DAY, forecast, key, listed, NOW } from "./page-reader.ts";

describe("the list of problems that need attention", () => {
  test.each<[string, Partial<KeyRow>, string]>([
    [
      "97%",
      { remaining: 3 },
      "billing ◆ Nearly used up 97% is used, 3.00 of 100.00 credits are left; resets in 9 d 10 h",
    ],
    [
      "97% although the fraction is a little less",
      { limit: 0.3, remaining: 0.009, reset: "never", nextResetMs: undefined },
      "billing ◆ Nearly used up 97% is used, 0.009 of 0.30 credits are left; it never resets",
    ],
    [
      "any part, but runs out before its reset",
      { forecast: forecast({ outlook: "imminent", exhaustionMs: NOW + 25 * 60_000 }) },
      "billing ▲ Runs out within the hour used up in 25 min, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
    ],
    [
      "99%, and runs out",
      { remaining: 1, forecast: forecast({ outlook: "slow", exhaustionMs: NOW + 2 * DAY }) },
      "billing ◆ Runs out used up in 2 d, 1.00 of 100.00 credits are left; resets in 9 d 10 h",
    ],
    [
      "99.8%, so that no call succeeds",
      { remaining: 0.2, forecast: forecast({ outlook: "exhausted", exhaustionMs: NOW - 60_000 }) },
      "billing ▲ Used up nothing is left of 100.00 credits; resets in 9 d 10 h",
    ],
  ])("includes a key that has used %s of its limit", (_name, more, text) => {
    expect(listed({ keys: [key("billing", more)] })).toEqual([text]);
  });

  test.each<[string, Partial<KeyRow>]>([
    ["has used less than 97%", { remaining: 3.01 }],
    ["is unlimited", { limit: "unlimited", remaining: undefined }],
    ["has an unknown rest", { remaining: undefined }],
    ["has an unknown limit", { limit: undefined, remaining: 1 }],
    ["lasts", { forecast: forecast({}) }],
    ["is disabled", { remaining: 1, isListed: true, isDisabled: true }],
  ])("does not include a key that %s", (_name, more) => {
    expect(listed({ keys: [key("billing", more)] })).toEqual([]);
  });
});
