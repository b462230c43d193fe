import { expect, test } from "vitest";
import { CHECK_CASES } from "./check-cases.ts";
import { untoldWarnings } from "./untold-warnings.ts";

test("check --online reports every warning that the daemon logs at first, of a gateway that answers", async () => {
  const first = CHECK_CASES.findIndex(([title]) => title === "# Requests");
  expect(await untoldWarnings(CHECK_CASES.slice(first))).toEqual([]);
});
