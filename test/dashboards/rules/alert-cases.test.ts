import { describeWithTools } from "../../support/tools.ts";
import { type AlertCase, CASE_MINUTES } from "./cases/alert-case.ts";
import { cases, commonSeries } from "./cases/index.ts";
import { firing, silent, type Story, testStories } from "./story.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";

const stories = cases.map(storyOf);

describeWithTools(["promtool3"], "alerts fire at the expected minute", ({ promtool3 }) =>
  testStories(promtool3, stories, 1),
);
describeWithTools(["promtool2"], "alerts fire at the expected minute", ({ promtool2 }) =>
  testStories(promtool2, stories, 1),
);

function storyOf(of: AlertCase): Story {
  const title = `${of.alert}, ${of.subject}: ${of.title}`;
  return { title, subject: of.subject, series: [...commonSeries, ...of.series], expect: expectationsOf(of) };
}

function expectationsOf({ alert, subject, firesAt, labels }: AlertCase) {
  if (firesAt === undefined) return [silent(subject, alert, 0, CASE_MINUTES - 1)];
  const [label = "", value = ""] = subject.split("=");
  const expected = { alertname: alert, job: JOB, [label]: value, ...labels };
  // The two versions of Prometheus treat the ends of a range differently, which shifts the result by a minute.
  return [silent(subject, alert, 0, firesAt - 2), firing(subject, firesAt, alert, [expected])];
}
