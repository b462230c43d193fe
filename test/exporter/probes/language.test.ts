import { describe, expect, test } from "vitest";
import { isLanguage } from "../../../exporter/probes/language.ts";

describe("isLanguage", () => {
  test.each<[string, string, boolean]>([
    ["en", "en", true],
    ["en", "EN", true],
    ["en", "english", true],
    ["en", "English", true],
    ["en", "en-US", true],
    ["en", "en_GB", true],
    ["en", "eng", true],
    ["de", "german", true],
    ["zh", "Chinese", true],
    ["en", "german", false],
    ["en", "de", false],
    ["en", "", false],
    ["en", "unknown", false],
    ["en", "not a language at all", false],
    ["xx", "yy", false],
  ])("%s in an answer with %j: %s", (expected, actual, matches) => {
    expect(isLanguage(expected, actual)).toBe(matches);
  });
});
