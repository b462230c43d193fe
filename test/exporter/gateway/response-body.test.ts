import { describe, expect, test } from "vitest";
import { Secret } from "../../../exporter/secrets/secret.ts";
import { errorMessage, refusalSource } from "../../../exporter/gateway/response-body.ts";

const secret = new Secret("sk-planted-0123456789");

function messageOf(message: unknown): string | undefined {
  const text = errorMessage({ error: { code: 400, message } });
  // Only a secret that is still in use is concealed.
  expect(secret.reveal()).not.toBe(text);
  return text;
}

describe("errorMessage: bodies with and without a message", () => {
  test.each<[string, unknown, string | undefined]>([
    ["the envelope of the contract", { error: { code: 401, message: "No auth", metadata: null } }, "No auth"],
    ["an error that is a string", { error: "No auth" }, "No auth"],
    ["a blank message", { error: { message: " \n\t " } }, undefined],
    ["a null error", { error: null }, undefined],
    ["a list of errors", { error: [{ message: "No auth" }] }, "No auth"],
    ["a nested envelope", { error: { error: { message: "No auth" } } }, "No auth"],
    ["a message alone", { message: "No auth" }, "No auth"],
    ["FastAPI's detail", { detail: "No auth" }, "No auth"],
    ["FastAPI's list of details", { detail: [{ loc: ["query"], msg: "No auth" }] }, "No auth"],
    ["success: false", { success: false, error: { message: "No auth" } }, "No auth"],
    ["RFC 9457", { type: "about:blank", title: "Forbidden", detail: "No auth" }, "Forbidden: No auth"],
    [
      "a body that is nested for ever",
      JSON.parse(`${'{"error":'.repeat(5000)}1${"}".repeat(5000)}`),
      undefined,
    ],
    ["no error", { data: {} }, undefined],
    ["a text", "Bad gateway", undefined],
    ["a list", [], undefined],
    ["null", null, undefined],
    ["nothing", undefined, undefined],
  ])("%s", (_, body, wanted) => {
    expect(errorMessage(body)).toBe(wanted);
  });
});

describe("errorMessage: how the text is cleaned", () => {
  test.each([
    ["line and paragraph separators are removed", "one\u2028two\u2029three", "one two three"],
    ["changes of direction are removed", "live\u202Eevil\u2066x", "live evil x"],
    ["other scripts are unchanged", "нет доступа 🔑", "нет доступа 🔑"],
    ["the credential", "Bad key sk-planted-0123456789", "Bad key [redacted]"],
    [
      "a credential beyond the longest text",
      `${"x".repeat(190)}sk-planted-0123456789`,
      `${"x".repeat(190)}[redacted]`,
    ],
    ["a longer text", "x".repeat(201), `${"x".repeat(200)}…`],
  ])("%s", (_, message, wanted) => {
    expect(messageOf(message)).toBe(wanted);
  });

  test("does not cut a credential in half, because half would not be recognised", () => {
    expect(messageOf(`${"x".repeat(195)}sk-planted-0123456789`)).toBe(`${"x".repeat(195)}[reda…`);
  });
});

describe("refusalSource", () => {
  test.each<[string, unknown, string | undefined, string | undefined]>([
    ["both", refusal({ limit_source: "in_flight", reason: "weight" }), "in_flight", "weight"],
    ["other types", refusal({ limit_source: 7, reason: ["weight"] }), undefined, undefined],
    ["empty texts", refusal({ limit_source: "", reason: " \n" }), undefined, undefined],
    ["control characters", refusal({ limit_source: "a\u0000b\u202Ec", reason: "x\ny" }), "a b c", "x y"],
    ["long texts", refusal({ limit_source: "é".repeat(65) }), `${"é".repeat(64)}…`, undefined],
    ["nothing", undefined, undefined, undefined],
  ])("%s", (_, answer, limitSource, refusalReason) => {
    expect(refusalSource(answer)).toEqual({ limitSource, refusalReason });
  });

  test("reports whose limit refuses, its amounts and reset, and what helps", () => {
    const metadata = { limit_source: "budget", scope: "workspace", limit_usd: 500, spend_usd: "500.25" };
    const others = { resets_at: "2026-12-01T00:00:00Z", remedy_hint: "Raise\nit", secret: "unknown field" };
    expect(refusalSource(refusal({ ...metadata, ...others }))).toEqual({
      limitSource: "budget",
      details: [
        "scope: workspace",
        "limit_usd: 500",
        "spend_usd: 500.25",
        "resets_at: 2026-12-01T00:00:00Z",
        "remedy_hint: Raise it",
      ],
    });
  });

  test("conceals secrets, and those that the cut would leave a part of", () => {
    const { limitSource, refusalReason } = refusalSource(
      refusal({ limit_source: secret.reveal(), reason: `${"x".repeat(60)}${secret.reveal()}` }),
    );
    expect(`${limitSource} ${refusalReason}`).not.toMatch(/sk-p|planted/);
    expect(limitSource).toBe("[redacted]");
  });
});

function refusal(metadata: unknown): object {
  return { error: { code: 402, message: "No", metadata } };
}
