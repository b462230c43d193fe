import { describeWithTools } from "../../support/tools.ts";
import { type AlertCase, CASE_MINUTES } from "./cases/alert-case.ts";
import { cases, commonSeries } from "./cases/index.ts";
import { firing, silent } from "./story.ts";
import { type Tale, tell } from "./tell.ts";

const tales = cases.map(taleOf);

describeWithTools(["promtool3"], "alerts to the minute", ({ promtool3 }) => tell(promtool3, tales, 1));
describeWithTools(["promtool2"], "alerts to the minute", ({ promtool2 }) => tell(promtool2, tales, 1));

function taleOf(of: AlertCase): Tale {
  const title = `${of.alert}, ${of.subject}: ${of.title}`;
  return { title, subject: of.subject, series: [...commonSeries, ...of.series], expect: expectationsOf(of) };
}

function expectationsOf({ alert, subject, firesAt, labels }: AlertCase) {
  if (firesAt === undefined) return [silent(subject, alert, 0, CASE_MINUTES - 1)];
  const [label = "", value = ""] = subject.split("=");
  const expected = { alertname: alert, job: "aigateway-exporter", [label]: value, ...labels };
  // The two versions of Prometheus count the ends of a range differently, which is a minute.
  return [silent(subject, alert, 0, firesAt - 2), firing(subject, firesAt, alert, [expected])];
}
