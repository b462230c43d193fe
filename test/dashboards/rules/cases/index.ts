import { selfFamilies } from "../../../../exporter/metrics/self-families.ts";
import { type InputSeries, seriesOf } from "../input-series.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import { accountCases } from "./account-cases.ts";
import { firing, silent, type Story } from "../story.ts";
import { type AlertCase, CASE_MINUTES, eachMinute, exposed } from "./alert-case.ts";
import { analyticsCases } from "./analytics-cases.ts";
import { budgetCases } from "./budget-cases.ts";
import { exporterCases } from "./exporter-cases.ts";
import { keyCreditCases, keyCreditStories } from "./key-credit-cases.ts";
import { keyStateCases } from "./key-state-cases.ts";
import { ruleEvaluationStories } from "./rule-evaluation-stories.ts";
import { probeCases, stoppedProbe } from "./probe-cases.ts";

/** All cases that span hours. One run evaluates all of them. */
const cases: readonly AlertCase[] = [
  ...keyCreditCases,
  ...keyStateCases,
  ...budgetCases,
  ...accountCases,
  ...analyticsCases,
  ...probeCases,
  ...exporterCases,
];

/** The series that all cases share: an exporter that is scraped and polls every minute. */
const commonSeries: readonly InputSeries[] = [
  seriesOf(
    "up",
    { job: JOB, instance: "a:9853" },
    eachMinute(() => 1),
  ),
  exposed(selfFamilies.pollInterval, { collector: "key" }, () => 60),
  exposed(selfFamilies.pollInterval, { collector: "analytics" }, () => 300),
  exposed(selfFamilies.pollInterval, { collector: "discovery" }, () => 300),
];

/** The cases as stories, and those that are more than a case. */
export const caseStories: readonly Story[] = [
  ...cases.map(storyOf),
  ...keyCreditStories,
  ...ruleEvaluationStories,
  stoppedProbe,
];

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
