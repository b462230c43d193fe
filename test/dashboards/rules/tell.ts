import { beforeAll, expect, test } from "vitest";

import type { RuleGroup } from "../../../dashboards/rules/rule.ts";
import type { InputSeries } from "./input-series.ts";
import { type Expectation, failuresOf } from "./story.ts";

/** What happens to a key or budget, `label=value`, and what fires of it. */
export interface Tale {
  readonly title: string;
  readonly subject: string;
  readonly series: readonly InputSeries[];
  readonly expect: readonly Expectation[];
}

/**
 * A test of each tale, told together: evaluating the rules once for many keys is much cheaper than many times for one. A step of
 * more than four minutes would reach beyond Prometheus' look-back for what was recorded last.
 */
export function tell(
  promtool: string,
  tales: readonly Tale[],
  stepMinutes: 1 | 2 | 4,
  groups?: readonly RuleGroup[],
): void {
  let failures: readonly string[] = [];
  beforeAll(async () => {
    const series = new Map(tales.flatMap((tale) => tale.series).map((one) => [one.series, one]));
    const expectations = tales.flatMap((tale) => tale.expect);
    failures = await failuresOf(promtool, [...series.values()], expectations, stepMinutes, groups);
  }, 600_000);

  test.each(tales)("$title", ({ expect: expectations }) => {
    expect(failures.filter((failure) => !failure.includes("ALERTS{"))).toEqual([]);
    const queries = expectations.map(({ expr }) => JSON.stringify(expr));
    expect(failures.filter((failure) => queries.some((query) => failure.includes(query)))).toEqual([]);
  });
}
