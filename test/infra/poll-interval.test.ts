import { describe, expect, test } from "vitest";
import { longestPollSeconds } from "../../infra/poll-interval.ts";

describe("longestPollSeconds", () => {
  test.each<[string, number | undefined]>([
    ["* * * * *", 60],
    ["*/5 * * * *", 300],
    ["30 */7 * * * *", 420],
    ["*/25 * * * *", 1500],
    ["0 * * * *", 3600],
    ["0,10,40 * * * *", 1800],
    ["0-30 * * * *", 1800],
    ["10-50/20 * * * *", 1200],
    ["50/5 * * * *", 3300],
    ["*/15 8-17 * * *", undefined],
    ["0 0 * * *", undefined],
    ["0 * * * mon", undefined],
  ])("%s has gaps of at most %s seconds", (expression, seconds) => {
    expect(longestPollSeconds({ kind: "cron", expression })).toBe(seconds);
  });

  test.each([
    ["the interval", 10, 600, 60],
    ["the pace, if that is slower", 3000, 600, 300],
    ["the interval, unpaced", 3000, 0, 60],
  ])("is %s", (_name, keys, perMinute, seconds) => {
    expect(longestPollSeconds({ kind: "interval", ms: 60_000 }, keys, perMinute)).toBe(seconds);
  });
});
