import { beforeAll, expect, test } from "vitest";

import { describeWithTools } from "../../support/tools.ts";
import { dailyStories } from "./key-stories.ts";
import { type Expectation, failuresOf, firing, silent } from "./story.ts";
import { type WeekStory, weekStories } from "./week-stories.ts";

const days = dailyStories.map((story) => ({ ...story, subject: `key=${story.key}` }));

describeWithTools(["promtool3"], "keys over days", ({ promtool3 }) => tell(promtool3, days, 2));
describeWithTools(["promtool2"], "keys over days", ({ promtool2 }) => tell(promtool2, days, 2));
describeWithTools(["promtool3"], "keys and budgets over weeks", ({ promtool3 }) =>
  tell(promtool3, weekStories, 4),
);
describeWithTools(["promtool2"], "keys and budgets over weeks", ({ promtool2 }) =>
  tell(promtool2, weekStories, 4),
);

/** All stories of a list in one run: evaluating the rules once for many keys is much cheaper than many times for one. */
function tell(promtool: string, stories: readonly WeekStory[], stepMinutes: number): void {
  let failures: readonly string[] = [];
  beforeAll(async () => {
    const series = stories.flatMap((story) => story.series);
    const expectations = stories.flatMap((story) => story.expect);
    failures = await failuresOf(promtool, series, expectations, stepMinutes);
  }, 600_000);

  test.each(stories)("$title", ({ subject }) => {
    expect(failures.filter((failure) => !failure.includes("ALERTS{"))).toEqual([]);
    const [label, value] = subject.split("=");
    expect(failures.filter((failure) => failure.includes(`${label}=\\"${value}\\"`))).toEqual([]);
  });
}

describeWithTools(["promtool3"], "the exporter itself", ({ promtool3 }) => {
  const alert = { alertname: "AIGatewayExporterDown", job: "aigateway-exporter", severity: "critical" };
  const down = (at: number): readonly Expectation[] => [
    silent("job=aigateway-exporter", alert.alertname, 0, at - 1),
    firing("job=aigateway-exporter", at, alert.alertname, [alert]),
  ];
  const unknown = [{ series: 'up{job="other",instance="a:1"}', values: "1x100" }];

  test.each([
    ["fires ten minutes after the last process is gone", [up("a:9853", 10), up("b:9853", 20)], down(30)],
    ["fires when the job is not even there", unknown, down(10)],
    [
      "is silent while one of two processes is up",
      [up("a:9853", 10), up("b:9853", 99)],
      [silent("job=aigateway-exporter", alert.alertname, 0, 90)],
    ],
  ])("AIGatewayExporterDown %s", async (_, series, expectations) => {
    expect(await failuresOf(promtool3, series, expectations, 1)).toEqual([]);
  });
});

function up(instance: string, downFrom: number) {
  return {
    series: `up{job="aigateway-exporter",instance="${instance}"}`,
    values: `1x${downFrom - 1} 0x100`,
  };
}
