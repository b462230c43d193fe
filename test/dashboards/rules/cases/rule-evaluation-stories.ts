import { type InputSeries, seriesOf } from "../input-series.ts";
import { firing, silent, type Story } from "../story.ts";
import { CASE_MINUTES, eachMinute } from "./alert-case.ts";

const ALERT = "AIGatewayRuleEvaluationSlow";

/** Groups as Prometheus reports on itself, and when the alert on them fires. */
export const ruleEvaluationStories: readonly Story[] = [
  story("a group that needs more than four fifths of its interval", "aigateway-slow", from(10, 50), 20),
  story("a group that needs three quarters of its interval", "aigateway-quick", from(10, 45)),
  story("a group that is slow for five minutes", "aigateway-once", (minute) =>
    isBetween(minute, 10, 15) ? 70 : 5,
  ),
  story(
    "a group that skips evaluations",
    "aigateway-skipping",
    () => 30,
    21,
    (minute) => Math.floor(Math.max(0, minute - 5) / 5),
  ),
  story("a slow group of other rules", "node-exporter", () => 90),
];

function story(
  title: string,
  group: string,
  seconds: (minute: number) => number,
  firesAt?: number,
  missed: (minute: number) => number = () => 0,
): Story {
  const name = `/etc/prometheus/rules.yaml;${group}`;
  const subject = `rule_group=${name}`;
  const expected = { alertname: ALERT, rule_group: name, severity: "warning" };
  return {
    title: `${ALERT}: ${title} ${firesAt === undefined ? "is silent" : "fires"}`,
    subject,
    series: [
      ofGroup("last_duration_seconds", name, seconds),
      ofGroup("interval_seconds", name, () => 60),
      ofGroup("iterations_missed_total", name, missed),
    ],
    expect:
      firesAt === undefined
        ? [silent(subject, ALERT, 0, CASE_MINUTES - 1)]
        : [silent(subject, ALERT, 0, firesAt - 2), firing(subject, firesAt, ALERT, [expected])],
  };
}

function ofGroup(metric: string, group: string, value: (minute: number) => number): InputSeries {
  const labels = { job: "prometheus", instance: "localhost:9090", rule_group: group };
  return seriesOf(`prometheus_rule_group_${metric}`, labels, eachMinute(value));
}

function from(start: number, seconds: number): (minute: number) => number {
  return (minute) => (minute < start ? 5 : seconds);
}

function isBetween(minute: number, start: number, end: number): boolean {
  return minute >= start && minute < end;
}
