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
    ["0 */1 * * *", 3600],
    ["*/5 0-23 * * *", 300],
    ["* * */1 * *", 60],
    ["*/10 * * * * *", 60],
    ["0,30 59 * * * *", 3600],
    ["*/15 8-17 * * *", undefined],
    ["0 0 * * *", undefined],
    ["0 * * * mon", undefined],
  ])("%s polls at least every %s seconds", (expression, seconds) => {
    expect(longestPollSeconds({ kind: "cron", expression })).toBe(seconds);
  });

  test.each([
    ["the interval", 10, 600, 60],
    ["the time that the rate limit needs when it is longer", 3000, 600, 300],
    ["the interval without a rate limit", 3000, 0, 60],
  ])("is %s", (_name, keys, perMinute, seconds) => {
    expect(longestPollSeconds({ kind: "interval", ms: 60_000 }, keys, perMinute)).toBe(seconds);
  });
});
