import { beforeAll, expect, test } from "vitest";

import { describeWithTools } from "../../support/tools.ts";
import { type AlertCase, CASE_MINUTES } from "./cases/alert-case.ts";
import { cases, commonSeries } from "./cases/index.ts";
import { failuresOf, firing, silent } from "./story.ts";

describeWithTools(["promtool3"], "alerts to the minute", ({ promtool3 }) => tell(promtool3));
describeWithTools(["promtool2"], "alerts to the minute", ({ promtool2 }) => tell(promtool2));

function tell(promtool: string): void {
  let failures: readonly string[] = [];
  beforeAll(async () => {
    const all = [...commonSeries, ...cases.flatMap(({ series }) => series)];
    const distinct = new Map(all.map((of) => [of.series, of]));
    failures = await failuresOf(promtool, [...distinct.values()], cases.flatMap(expectationsOf), 1);
  }, 600_000);

  test.each(cases)("$alert, $subject: $title", (of) => {
    expect(failures.filter((failure) => !failure.includes("ALERTS{"))).toEqual([]);
    const [label, value] = of.subject.split("=");
    const about = [`alertname=~"${of.alert}"`, `${label}="${value}"`].map((text) =>
      text.replaceAll('"', '\\"'),
    );
    expect(failures.filter((failure) => about.every((text) => failure.includes(text)))).toEqual([]);
  });
}

function expectationsOf({ alert, subject, firesAt, labels }: AlertCase) {
  if (firesAt === undefined) return [silent(subject, alert, 0, CASE_MINUTES - 1)];
  const [label = "", value = ""] = subject.split("=");
  const expected = { alertname: alert, job: "aigateway-exporter", [label]: value, ...labels };
  // The two versions of Prometheus count the ends of a range differently, which is a minute.
  return [silent(subject, alert, 0, firesAt - 2), firing(subject, firesAt, alert, [expected])];
}
