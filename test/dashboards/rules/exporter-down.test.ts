import { expect, test } from "vitest";

import { describeWithTools } from "../../support/tools.ts";
import { type Expectation, failuresOf, firing, silent } from "./story.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";

const SUBJECT = `job=${JOB}`;
const ALERT = { alertname: "AIGatewayExporterDown", job: JOB, severity: "critical" };

describeWithTools(["promtool3"], "AIGatewayExporterDown", ({ promtool3 }) => {
  const elsewhere = [{ series: 'up{job="other",instance="a:1"}', values: "1x100" }];

  const other = { alertname: ALERT.alertname, job: "ai", severity: "critical" };
  const everyJob = "severity=critical";
  test.each([
    ["is silent with any name of the job", ofJob("", 99), [silent(everyJob, ALERT.alertname, 0, 90)]],
    [
      "fires with any name of the job",
      ofJob("", 20),
      [silent(everyJob, ALERT.alertname, 0, 29), firing(everyJob, 30, ALERT.alertname, [other])],
    ],
    [
      "fires for one of two gateways",
      [...ofJob("first", 20), ...ofJob("second", 99)],
      [firing(everyJob, 40, ALERT.alertname, [{ ...other, gateway: "first" }])],
    ],
  ])("%s", async (_, series, expectations) => {
    expect(await failuresOf(promtool3, series, expectations, 1)).toEqual([]);
  });

  test.each([
    ["fires ten minutes after the last process disappears", [up("a:9853", 10), up("b:9853", 20)], down(30)],
    ["fires if the job does not exist", elsewhere, down(10)],
    [
      "is silent while one of two processes is up",
      [up("a:9853", 10), up("b:9853", 99)],
      [silent(SUBJECT, ALERT.alertname, 0, 90)],
    ],
  ])("%s", async (_, series, expectations) => {
    expect(await failuresOf(promtool3, series, expectations, 1)).toEqual([]);
  });
});

function up(instance: string, downFrom: number) {
  return {
    series: `up{job="${JOB}",instance="${instance}"}`,
    values: `1x${downFrom - 1} 0x100`,
  };
}

function down(at: number): readonly Expectation[] {
  return [silent(SUBJECT, ALERT.alertname, 0, at - 1), firing(SUBJECT, at, ALERT.alertname, [ALERT])];
}

/** A job with another name: its exporter goes down, another target of it does not. */
function ofJob(gateway: string, downFrom: number) {
  return [
    {
      series: `up{job="ai",gateway="${gateway}",instance="${gateway}:1"}`,
      values: `1x${downFrom - 1} 0x100`,
    },
    {
      series: `aigateway_exporter_build_info{job="ai",gateway="${gateway}",instance="${gateway}:1"}`,
      values: `1x${downFrom - 1} stale`,
    },
    { series: `up{job="ai",gateway="${gateway}",instance="web:1"}`, values: "1x100" },
  ];
}
