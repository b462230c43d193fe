import { describe, expect, test } from "vitest";
import { gatewaySection } from "../../../exporter/config/gateway-section.ts";
import { byteSize, parseSchedule } from "../../../exporter/config/field.ts";
import { parseDuration } from "../../../exporter/time/duration.ts";
import { looksSecret, quote } from "../../../exporter/secrets/quote.ts";
import { parseNamePattern } from "../../../exporter/config/discovery-section.ts";

describe("parseDuration", () => {
  test.each([
    ["500ms", 500],
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["1y2w3d4h5m6s7ms", 33_019_506_007],
    ["0s", 0],
    ["090s", 90_000],
  ])("reads %s", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  test.each(["", "10", "1.5s", "-1s", "1 s", "1S", "30s1m", "1m1m", "9".repeat(30) + "y"])(
    "refuses %j",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe("a size", () => {
  test.each([
    [2048, 2048],
    ["2048", 2048],
    ["1KiB", 1024],
    ["16MiB", 16_777_216],
  ])("%j is %d bytes", (size, expected) => {
    expect(byteSize("1KiB", "16MiB", "2MiB").parse(size)).toBe(expected);
  });

  test.each(["", "16MB", "16M", "16 MiB", "1.5MiB", "-1", "1KiBB", "17MiB", 1.5, -1, 1e300])(
    "is not %j",
    (size) => {
      expect(byteSize("1KiB", "16MiB", "2MiB").safeParse(size).success).toBe(false);
    },
  );
});

describe("the base URL", () => {
  test.each([
    ["https://gateway.example/", "https://gateway.example"],
    ["HTTPS://Gateway.Example:443/api/v1//", "https://gateway.example/api/v1"],
    ["https://gateway.example:8443/api", "https://gateway.example:8443/api"],
    ["http://localhost:1/x", "http://localhost:1/x"],
    ["http://127.9.8.7:80/", "http://127.9.8.7"],
    ["http://[::1]:9000/v1", "http://[::1]:9000/v1"],
  ])("%s is read as %s", (text, url) => {
    expect(gatewaySection.safeParse({ base_url: text }).data?.base_url).toBe(url);
  });

  const FORM = "is not an http or https URL";
  const HTTPS =
    "must use https, because keys are sent to it; http is allowed for localhost, or with gateway.allow_http: true";
  test.each([
    ["", FORM],
    ["gateway.example", FORM],
    ["https:///gateway.example", FORM],
    ["https://gateway.example\\@evil.example", FORM],
    ["https://gateway.example/a b", FORM],
    ["https://gateway.example:99999", FORM],
    ["http://gateway.example", HTTPS],
    ["http://localhost.evil.example", HTTPS],
    ["http://127.0.0.1.evil.example", HTTPS],
    ["https://user:password@gateway.example", "the URL must not contain credentials"],
    ["https://@gateway.example", "the URL must not contain credentials"],
    ["https://gateway.example?", "the URL must not have a query or a fragment"],
    ["https://gateway.example/#", "the URL must not have a query or a fragment"],
  ])("cannot be %j", (text, fault) => {
    const shown = fault.startsWith("the URL") ? "" : `${JSON.stringify(text)} `;
    expect(gatewaySection.safeParse({ base_url: text }).error?.issues).toMatchObject([
      { message: text.includes("@evil") ? `the URL ${fault}` : shown + fault },
    ]);
  });
});

describe("parseSchedule", () => {
  test.each([
    ["* * * * *", { kind: "cron", expression: "* * * * *" }],
    ["30 */5 * * * *", { kind: "cron", expression: "30 */5 * * * *" }],
    ["0\t0  1 JAN *", { kind: "cron", expression: "0 0 1 JAN *" }],
    ["1s", { kind: "interval", ms: 1000 }],
    ["1m30s", { kind: "interval", ms: 90_000 }],
    ["1d", { kind: "interval", ms: 86_400_000 }],
  ])("reads %j", (text, schedule) => {
    expect(parseSchedule(text)).toEqual(schedule);
  });

  const RULE = "is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s";
  test.each([
    ["", RULE],
    ["25h", RULE],
    ["@hourly", RULE],
    ["* * * *", RULE],
    ["* * * * * * *", RULE],
    ["60 * * * *", 'has an invalid minute field "60"'],
    ["* * * 13 *", 'has an invalid month field "13"'],
    ["* * * * 8", 'has an invalid day of week field "8"'],
    ["*/0 25 * * *", 'has an invalid minute field "*/0" and has an invalid hour field "25"'],
    ["0 0 31 2,4 *", "names a day that its months do not have"],
    ["0-9999999999 * * * *", 'has an invalid field "0-9999999999"'],
    ["sk-or-v1-1 * * * *", "has an invalid minute field (not shown: it looks like a secret)"],
  ])("refuses %j", (text, fault) => {
    expect(parseSchedule(text)).toBe(fault);
  });
});

describe("quote", () => {
  test.each<[unknown, string]>([
    ["billing", '"billing"'],
    ["a\nb\u001b[31m\u2028\u0085", String.raw`"a\nb\u001b[31m\u{2028}\u{85}"`],
    ["ü".repeat(60), `"${"ü".repeat(60)}"`],
    ["😀".repeat(61), `"${"😀".repeat(60)}…"`],
    [1.5, "1.5"],
    [true, "true"],
    [null, "nothing"],
    [["planted"], "a list"],
    [{ planted: 1 }, "a mapping"],
    ["sk-or-v1-planted", "(not shown: it looks like a secret)"],
  ])("shows %j as %s", (value, expected) => {
    expect(quote(value)).toBe(expected);
  });

  test.each([
    "sk-or-v1-planted",
    "Bearer planted",
    "0123456789abcdef0123456789abcdef",
    "dGhpcyBpcyBhIHNlY3JldA1==",
    "Zm9vYmFyYmF6_cXV4Zm9v",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  ])("%s looks like a secret", (text) => {
    expect(looksSecret(text)).toBe(true);
  });

  test.each([
    "/run/secrets/billing-production-key-2026",
    "AIGATEWAY_KEY_BILLING_PRODUCTION_2",
    "api-gateway-billing-production-2",
    "https://gateway.example/api/v1",
    "task-5",
    "*/5 * * * *",
  ])("%s does not look like a secret", (text) => {
    expect(looksSecret(text)).toBe(false);
  });
});

test.each<[string, string, object | undefined]>([
  ["^(?<team>[a-z]+)-", "search-prod", { team: "search" }],
  ["^(?<team>[a-z]+)-(?<project>x)?", "search-", { team: "search", project: null }],
  ["(?<team>\\p{L}+)", "Übersetzer", { team: "Übersetzer" }],
  ["^(?<team>[a-z]+)-", "Search", undefined],
  ["^(?:[a-z]+-?)+$", `${"a".repeat(5000)}!`, undefined],
])("%s finds groups in %s", (written, name, groups) => {
  const pattern = parseNamePattern(written);
  if (typeof pattern === "string") throw new Error(pattern);
  expect(pattern.groupsIn(name)).toEqual(groups);
  expect(pattern.matches(name)).toBe(groups !== undefined);
});

test.each([
  ["", "invalid"],
  ["(", "invalid"],
  ["(?!a)", "unsupported"],
  ["(?<=a)b", "unsupported"],
  ["(a)\\1", "unsupported"],
  ["(?<team>a)\\k<team>", "unsupported"],
  ["\\u0041", "unsupported"],
])("%j is %s", (written, fault) => {
  expect(parseNamePattern(written)).toBe(fault);
});
