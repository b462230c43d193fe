import { describe, expect, test } from "vitest";
import type { UnwatchedRow } from "../../../../exporter/status/target-rows.ts";
import { NOW, pageOf, textOf } from "./page-reader.ts";

const ROW: UnwatchedRow = {
  name: "unwatched",
  state: "up",
  failure: undefined,
  lastSuccessMs: NOW - 5000,
  day: 0.5,
  month: 12.25,
  unresolvedKeys: 0,
  unresolvedNames: [],
};

function text(change: Partial<UnwatchedRow>): string {
  return textOf(pageOf({ unwatched: { ...ROW, ...change } }));
}

const UNKNOWN = { day: undefined, month: undefined };

describe("unwatched spend on the page", () => {
  test.each<[string, Partial<UnwatchedRow>, string]>([
    ["known", {}, "Unwatched spend Today 0.50, this month 12.25 credits What keys spend"],
    ["zero", { day: 0, month: 0 }, "Today 0.00, this month 0.00 credits"],
    ["partly known", { day: undefined }, "Today — , this month 12.25 credits What keys spend"],
    [
      "unknown",
      UNKNOWN,
      "Today — , this month — credits Unknown: there is no answer yet, or the figures of the gateway may be incomplete or contain use of your own provider keys (BYOK).",
    ],
    [
      "unknown keys",
      { ...UNKNOWN, unresolvedKeys: 7, unresolvedNames: ["a", "b", "c", "d", "e", "f"] },
      "Unknown: the gateway does not know 7 watched keys by hash, or their secrets could not be read, so their spend would count as unwatched. Configured: a, b, c, d, e and 1 more",
    ],
    [
      "one unknown key",
      { ...UNKNOWN, unresolvedKeys: 1 },
      "Unknown: the gateway does not know 1 watched key by hash, or their secrets could not be read, so their spend would count as unwatched ",
    ],
  ])("%s", (_, change, wanted) => {
    expect(text(change)).toContain(wanted);
  });

  test("needs attention if it cannot be requested, and is absent without analytics", () => {
    const failure = { reason: "forbidden", message: "Cannot query: gateway answered 403" };
    expect(text({ state: "down", failure })).toContain(
      "Needs attention Unwatched spend ✕ Failing forbidden last answered 5 s ago Cannot query: gateway answered 403",
    );
    expect(textOf(pageOf({}))).not.toContain("nwatched");
  });
});
