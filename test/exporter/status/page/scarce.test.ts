import { describe, expect, test } from "vitest";
import type { KeyRow } from "../../../../exporter/status/target-rows.ts";
import { key, listed } from "./page-reader.ts";

const DOWN = {
  state: "down",
  failure: { reason: "unauthorized", message: "Cannot read: gateway answered 401" },
} as const;

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
      "almost everything",
      { remaining: 0.0001 },
      "billing ◆ Nearly used up 99% is used, 0.0001 of 100.00 credits are left; resets in 9 d 10 h",
    ],
  ])("includes a key that has used %s of its limit", (_name, more, text) => {
    expect(listed({ keys: [key("billing", more)] })).toEqual([text]);
  });

  test.each<[string, Partial<KeyRow>]>([
    ["has used less than 97%", { remaining: 3.01 }],
    ["is unlimited", { limit: "unlimited", remaining: undefined }],
    ["has an unknown rest", { remaining: undefined }],
    ["has an unknown limit", { limit: undefined, remaining: 1 }],
    ["is disabled", { remaining: 1, isListed: true, isDisabled: true }],
  ])("does not include a key that %s", (_name, more) => {
    expect(listed({ keys: [key("billing", more)] })).toEqual([]);
  });

  test("includes a key that is nearly used up once, also while it fails", () => {
    expect(
      listed({ keys: [key("billing", { ...DOWN, remaining: 1 }), key("search", { remaining: 0 })] }),
    ).toEqual([
      "billing ✕ Failing unauthorized last answered 12 s ago Cannot read: gateway answered 401",
      "search ▲ Used up nothing is left of 100.00 credits; resets in 9 d 10 h",
      "billing ◆ Nearly used up 99% is used, 1.00 of 100.00 credits are left; resets in 9 d 10 h",
    ]);
  });
});
