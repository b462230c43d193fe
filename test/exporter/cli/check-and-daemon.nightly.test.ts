import { expect, test } from "vitest";
import { CHECK_CASES } from "./check-cases.ts";
import { trustCaseAuthority } from "./other-services.ts";
import { untoldWarnings } from "./untold-warnings.ts";

test("check --online reports every warning that the daemon logs at first, whatever answers", async () => {
  trustCaseAuthority();
  expect(await untoldWarnings(CHECK_CASES)).toEqual([]);
}, 600_000);
