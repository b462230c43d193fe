import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { parseBaseUrl } from "../../../exporter/config/gateway-section.ts";
import { parseByteSize } from "../../../exporter/config/field.ts";
import { formatDuration, parseDuration } from "../../../exporter/time/duration.ts";
import { looksSecret, quote } from "../../../exporter/config/quote.ts";
import { parseSchedule } from "../../../exporter/config/schedule-expression.ts";

describe("parseDuration", () => {
  test.each([
    ["500ms", 500],
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["1d", 86_400_000],
    ["1y2w3d4h5m6s7ms", 33_019_506_007],
    ["0s", 0],
    ["090s", 90_000],
  ])("reads %s", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  test.each([
    "",
    "10",
    "s",
    "1.5s",
    "-1s",
    "+1s",
    "1 s",
    "1s ",
    "1S",
    "30s1m",
    "1m1m",
    "1ms1s",
    "9".repeat(30) + "y",
  ])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("parses what formatDuration returns", () => {
    fc.assert(
      fc.property(fc.nat({ max: 400 * 86_400_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});

describe("parseByteSize", () => {
  test.each([
    [2048, 2048],
    ["2048", 2048],
    ["1KiB", 1024],
    ["16MiB", 16_777_216],
    ["1GiB", 1_073_741_824],
  ])("reads %j", (size, expected) => {
    expect(parseByteSize(size)).toBe(expected);
  });

  test.each(["", "16MB", "16M", "16 MiB", "1.5MiB", "-1", 1.5, -1, 1e300, Number.NaN])(
    "refuses %j",
    (size) => {
      expect(parseByteSize(size)).toBeUndefined();
    },
  );
});

describe("parseBaseUrl", () => {
  test.each([
    ["https://gateway.example", "https://gateway.example"],
    ["https://gateway.example/", "https://gateway.example"],
    ["HTTPS://Gateway.Example:443/api/v1//", "https://gateway.example/api/v1"],
    ["https://gateway.example:8443/api", "https://gateway.example:8443/api"],
    ["http://localhost:1/x", "http://localhost:1/x"],
    ["http://127.0.0.1", "http://127.0.0.1"],
    ["http://127.9.8.7:80/", "http://127.9.8.7"],
    ["http://[::1]:9000/v1", "http://[::1]:9000/v1"],
  ])("reads %s", (text, url) => {
    expect(parseBaseUrl(text)).toEqual({ ok: true, url });
  });

  const FORM = "is not an http or https URL";
  const HTTPS = "must use https, because keys are sent to it; http is allowed for localhost only";
  test.each([
    ["", FORM],
    ["gateway.example", FORM],
    ["https:gateway.example", FORM],
    ["https:///gateway.example", FORM],
    ["https://", FORM],
    ["https://gateway.example\\@evil.example", FORM],
    [" https://gateway.example", FORM],
    ["https://gateway.example/a b", FORM],
    ["https://gateway.example:99999", FORM],
    ["ws://localhost", FORM],
    ["http://gateway.example", HTTPS],
    ["http://localhost.evil.example", HTTPS],
    ["http://127.0.0.1.evil.example", HTTPS],
    ["http://10.0.0.1", HTTPS],
    ["http://0.0.0.0", HTTPS],
    ["http://[::2]", HTTPS],
    ["https://user:password@gateway.example", "must not contain credentials"],
    ["https://@gateway.example", "must not contain credentials"],
    ["https://gateway.example?", "must not have a query or a fragment"],
    ["https://gateway.example/#", "must not have a query or a fragment"],
  ])("refuses %j", (text, fault) => {
    expect(parseBaseUrl(text)).toEqual({ ok: false, fault });
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
    expect(parseSchedule(text)).toEqual({ ok: true, schedule });
  });

  const RULE = "is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s";
  test.each([
    ["", RULE],
    ["60", RULE],
    ["999ms", RULE],
    ["25h", RULE],
    ["@hourly", RULE],
    ["* * * *", RULE],
    ["* * * * * * *", RULE],
    ["60 * * * * *", 'has an invalid second field "60"'],
    ["60 * * * *", 'has an invalid minute field "60"'],
    ["* 24 * * *", 'has an invalid hour field "24"'],
    ["* * 32 * *", 'has an invalid day of month field "32"'],
    ["* * * 13 *", 'has an invalid month field "13"'],
    ["* * * * 8", 'has an invalid day of week field "8"'],
    ["*/0 25 * * *", 'has an invalid minute field "*/0" and has an invalid hour field "25"'],
    ["0 0 31 2,4 *", "names a day that its months do not have"],
    ["0 0 1 * 1#2", "names a day that its months do not have"],
    ["0-9999999999 * * * *", 'has an invalid field "0-9999999999"'],
    ["sk-or-v1-1 * * * *", "has an invalid minute field (not shown: it looks like a secret)"],
  ])("refuses %j", (text, fault) => {
    expect(parseSchedule(text)).toEqual({ ok: false, fault });
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
