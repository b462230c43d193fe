import { describe, expect, test } from "vitest";
import { Secret } from "../../../exporter/config/secret.ts";
import { errorMessage, parseJson, refusalSource } from "../../../exporter/gateway/response-body.ts";

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
    ["without a code", { error: { message: "No auth" } }, "No auth"],
    ["with success false", { success: false, error: { message: "No auth" } }, "No auth"],
    ["an error that is a string", { error: "No auth" }, "No auth"],
    ["a message of another type", { error: { message: 42 } }, undefined],
    ["an empty message", { error: { message: "" } }, undefined],
    ["a blank message", { error: { message: " \n\t " } }, undefined],
    ["a null error", { error: null }, undefined],
    ["a list of errors", { error: [{ message: "No auth" }] }, undefined],
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
    ["one line", "one\r\ntwo\u0000\u001b[31mthree\u0085four", "one two [31mthree four"],
    ["line and paragraph separators are removed", "one\u2028two\u2029three", "one two three"],
    ["changes of direction are removed", "live\u202Eevil\u2066x", "live evil x"],
    ["surrounding white space is removed", "  text  ", "text"],
    ["other scripts are unchanged", "нет доступа 🔑", "нет доступа 🔑"],
    ["half a character", "a\ud800b", "a\ufffdb"],
    ["the credential", "Bad key sk-planted-0123456789", "Bad key [redacted]"],
    [
      "the credential, each time",
      "sk-planted-0123456789sk-planted-0123456789: Bearer sk-planted-0123456789!",
      "[redacted][redacted]: Bearer [redacted]!",
    ],
    [
      "a credential beyond the longest text",
      `${"x".repeat(190)}sk-planted-0123456789`,
      `${"x".repeat(190)}[redacted]`,
    ],
    ["the longest text", "x".repeat(200), "x".repeat(200)],
    ["a longer text", "x".repeat(201), `${"x".repeat(200)}…`],
    ["a longer text of wide characters", "🔑".repeat(201), `${"🔑".repeat(200)}…`],
  ])("%s", (_, message, wanted) => {
    expect(messageOf(message)).toBe(wanted);
  });

  test("does not cut a credential in half, because half would not be recognised", () => {
    expect(messageOf(`${"x".repeat(195)}sk-planted-0123456789`)).toBe(`${"x".repeat(195)}[reda…`);
  });

  test("treats a credential as text, not as a pattern", () => {
    const short = new Secret("a.c");
    expect(messageOf("a.c abc $&")).toBe("[redacted] abc $&");
    expect(short.reveal()).toBe("a.c");
  });
});

describe("parseJson", () => {
  test.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    ["null", null],
    ["0", 0],
    ["", undefined],
    ["\ufeff{}", {}],
    ["<html>", undefined],
    ['{"a":', undefined],
    ["NaN", undefined],
  ])("%j", (text, wanted) => {
    expect(parseJson(Buffer.from(text)).value).toEqual(wanted);
  });

  test.each([
    ["commas in a text", `"${",".repeat(50_001)}"`],
    ["lists", `[${"[],".repeat(50_001)}0]`],
    ["lists in lists", "[".repeat(50_001)],
    ["objects", `[${"{},".repeat(30_000)}0]`],
  ])("does not parse 50,001 %s", (_, text) => {
    expect(parseJson(Buffer.from(text))).toEqual({
      fault: "has more than 50000 values",
    });
  });

  test("parses the largest answer that the gateway may give", () => {
    const rows = Array.from({ length: 1000 }, () => Array.from({ length: 40 }, (_, index) => index));
    expect(parseJson(Buffer.from(JSON.stringify(rows)))).toEqual({ value: rows });
  });
});

describe("refusalSource", () => {
  test.each<[string, unknown, string | undefined, string | undefined]>([
    ["both", refusal({ limit_source: "in_flight", reason: "weight" }), "in_flight", "weight"],
    ["the limit only", refusal({ limit_source: "key_limit" }), "key_limit", undefined],
    ["the reason only", refusal({ reason: "weight" }), undefined, "weight"],
    ["other types", refusal({ limit_source: 7, reason: ["weight"] }), undefined, undefined],
    ["one of another type", refusal({ limit_source: null, reason: "weight" }), undefined, "weight"],
    ["empty texts", refusal({ limit_source: "", reason: " \n" }), undefined, undefined],
    ["control characters", refusal({ limit_source: "a\u0000b\u202Ec", reason: "x\ny" }), "a b c", "x y"],
    ["long texts", refusal({ limit_source: "é".repeat(65) }), `${"é".repeat(64)}…`, undefined],
    ["a text of 64 characters", refusal({ limit_source: "😀".repeat(64) }), "😀".repeat(64), undefined],
    ["no metadata", refusal(null), undefined, undefined],
    ["a text in its place", refusal("x"), undefined, undefined],
    ["an error that is a string", { error: "No" }, undefined, undefined],
    ["nothing", undefined, undefined, undefined],
  ])("%s", (_, answer, limitSource, refusalReason) => {
    expect(refusalSource(answer)).toEqual({ limitSource, refusalReason });
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
