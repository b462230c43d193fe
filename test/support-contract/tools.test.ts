import { expect, test } from "vitest";

import { toolPolicy, versionOf } from "../support/tools.ts";

test.each([
  [[], undefined, "run"],
  [[], "1", "run"],
  [["prometheus2"], undefined, "skip"],
  [["prometheus2"], "", "skip"],
  [["prometheus2"], "0", "skip"],
  [["prometheus2", "chromium"], "1", "fail"],
])("toolPolicy of missing tools %j with E2E_REQUIRED=%s is %s", (missing, required, policy) => {
  expect(toolPolicy(missing, required)).toBe(policy);
});

test("versionOf returns undefined for a program that prints no version", () => {
  expect(versionOf(process.execPath)).toBeUndefined();
});
