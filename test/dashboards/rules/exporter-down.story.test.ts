import { expect, test } from "vitest";
import { describeWithTools } from "../../support/tools.ts";
import { type Expectation, type Story, failuresOf, firing, silent } from "./story.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import type { InputSeries } from "./input-series.ts";

const NAME = "AIGatewayExporterDown";
const OTHER = { alertname: NAME, job: "ai", severity: "critical" };
const EVERY_JOB = "severity=critical";

/** Each in a world of its own, because nothing else can be scraped while an exporter is down. */
const exporterDownStories: readonly Story[] = [
  story(
    "fires ten minutes after the last process disappears",
    [up("a:9853", 10), up("b:9853", 20)],
    down(30),
  ),
  story(
    "fires if the job does not exist",
    [{ series: 'up{job="other",instance="a:1"}', values: "1x100" }],
    down(10),
  ),
  story(
    "is silent while one of two processes is up",
    [up("a:9853", 10), up("b:9853", 99)],
    [silent(EVERY_JOB, NAME, 0, 90)],
  ),
  story("is silent with any name of the job", ofJob("", 99), [silent(EVERY_JOB, NAME, 0, 90)]),
  story("fires with any name of the job", ofJob("", 20), [
    silent(EVERY_JOB, NAME, 0, 29),
    firing(EVERY_JOB, 30, NAME, [OTHER]),
  ]),
  story(
    "fires for one of two gateways",
    [...ofJob("first", 20), ...ofJob("second", 99)],
    [firing(EVERY_JOB, 40, NAME, [{ ...OTHER, gateway: "first" }])],
  ),
  story(
    "fires for one of two gateways whose target is gone",
    [...ofTarget("first", "a:1", "1x19 stale"), ...ofTarget("second", "b:1", "1x99")],
    [silent(EVERY_JOB, NAME, 0, 29), firing(EVERY_JOB, 30, NAME, [{ ...OTHER, gateway: "first" }])],
  ),
  story("fires if the only target is gone", ofTarget("first", "a:1", "1x19 stale"), [
    silent(EVERY_JOB, NAME, 0, 29),
    firing(EVERY_JOB, 30, NAME, [{ ...OTHER, gateway: "first" }]),
  ]),
  story(
    "is silent for series without a target",
    [
      { series: 'aigateway_exporter_build_info{job="ai",gateway="first",instance="a:1"}', values: "1x99" },
      ...ofTarget("second", "b:1", "1x99"),
    ],
    [silent(EVERY_JOB, NAME, 0, 90)],
  ),
  story(
    "is silent after its job was renamed",
    [...ofTarget("first", "a:1", "1x19 stale"), ...ofTarget("second", "a:1", "_x20 1x79")],
    [silent(EVERY_JOB, NAME, 0, 90)],
  ),
  story(
    "is silent if another process replaces one that is gone",
    [...ofTarget("first", "a:1", "1x19 stale"), ...ofTarget("first", "b:1", "_x20 1x79")],
    [silent(EVERY_JOB, NAME, 0, 90)],
  ),
];

function story(title: string, series: readonly InputSeries[], expectations: readonly Expectation[]): Story {
  return { title: `${NAME} ${title}`, subject: EVERY_JOB, series, expect: expectations };
}

function up(instance: string, downFrom: number): InputSeries {
  return {
    series: `up{job="${JOB}",instance="${instance}"}`,
    values: `1x${downFrom - 1} 0x100`,
  };
}

function down(at: number): readonly Expectation[] {
  const alert = { alertname: NAME, job: JOB, severity: "critical" };
  return [silent(EVERY_JOB, NAME, 0, at - 1), firing(EVERY_JOB, at, NAME, [alert])];
}

/** A target of a job with another name, until Prometheus no longer discovers it. */
function ofTarget(gateway: string, instance: string, values: string): readonly InputSeries[] {
  return ["up", "aigateway_exporter_build_info"].map((name) => ({
    series: `${name}{job="ai",gateway="${gateway}",instance="${instance}"}`,
    values,
  }));
}

/** A job with another name: its exporter goes down, another target of it does not. */
function ofJob(gateway: string, downFrom: number): readonly InputSeries[] {
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

describeWithTools(["promtool3"], "the exporter is down", ({ promtool3 }) => {
  test.each(exporterDownStories)("$title", async ({ series, expect: expectations }) => {
    expect(await failuresOf(promtool3, series, expectations)).toEqual([]);
  });
});
