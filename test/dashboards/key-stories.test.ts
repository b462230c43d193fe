import { beforeAll, expect, test } from "vitest";

import { describeWithTools } from "../support/tools.ts";
import { dailyStories, weeklyStories, type KeyStory } from "./key-stories.ts";
import { failuresOf } from "./story.ts";

describeWithTools(["promtool3"], "keys over days", ({ promtool3 }) => tell(promtool3, dailyStories, 2));
describeWithTools(["promtool2"], "keys over days", ({ promtool2 }) => tell(promtool2, dailyStories, 2));
describeWithTools(["promtool3"], "keys over weeks", ({ promtool3 }) => tell(promtool3, weeklyStories, 5));
describeWithTools(["promtool2"], "keys over weeks", ({ promtool2 }) => tell(promtool2, weeklyStories, 5));

/** All stories of a list in one run: evaluating the rules once for many keys is much cheaper than many times for one. */
function tell(promtool: string, stories: readonly KeyStory[], stepMinutes: number): void {
  let failures: readonly string[] = [];
  beforeAll(async () => {
    const series = stories.flatMap((story) => story.series);
    const expectations = stories.flatMap((story) => story.expect);
    failures = await failuresOf(promtool, series, expectations, stepMinutes);
  }, 600_000);

  test.each(stories)("$title", ({ key }) => {
    const other = failures.filter((failure) => !failure.includes("ALERTS{"));
    expect(other).toEqual([]);
    expect(failures.filter((failure) => failure.includes(`key=\\"${key}\\"`))).toEqual([]);
  });
}
