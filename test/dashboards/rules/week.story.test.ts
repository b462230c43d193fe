import { createRules } from "../../../dashboards/rules/index.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { keyFamilies } from "../../../exporter/collectors/key-families.ts";
import { forecastFamilies } from "../../../exporter/forecast/families.ts";
import { describeWithTools } from "../../support/tools.ts";
import { type InputSeries, seriesOf } from "./input-series.ts";
import { modelOf, simulateProbe, TEAM } from "./simulated-probe.ts";
import { firing, silent, type Story, testStories } from "./story.ts";

const HOUR = 60;
const DAY = 24 * HOUR;
const MINUTES = 8 * DAY;
/** promtool loads at most 10,000 samples for a query. */
const STEP = 10;
/** When something changes, after a week. */
const CHANGE = 7 * DAY + HOUR;

const stories: readonly Story[] = [
  anomaly(
    "loop",
    "an hour costs more than twice the most expensive one",
    { before: 2, now: 4.1 },
    CHANGE + 30,
  ),
  anomaly("busy", "an hour costs twice the most expensive one", { before: 2, now: 4 }),
  anomaly("cheap", "it costs less than a credit an hour", { before: 0.1, now: 0.9 }),
  anomaly("young", "it is not known yet what is usual", { before: 2, now: 9, usual: [] }),
  anomaly(
    "restarted",
    "it was known before a restart what is usual",
    { before: 2, now: 4.1, usual: [0, 5 * DAY] },
    CHANGE + 30,
  ),
  anomaly(
    "leak",
    "a day costs more than one and a half times the most expensive one",
    {
      before: 2,
      now: 2,
      day: 3.1,
    },
    CHANGE + 30,
  ),
  probe("slow", "ProbeSlow", "runs take more than twice as long", { seconds: 5.1, wordErrors: 0 }, true),
  probe("slower", "ProbeSlow", "runs take half as long again", { seconds: 3, wordErrors: 0 }, false),
  probe(
    "wrong",
    "ProbeQualityDropped",
    "an eighth of the words is wrong",
    { seconds: 2, wordErrors: 0.125 },
    true,
  ),
  probe("misheard", "ProbeQualityDropped", "a few words are wrong", { seconds: 2, wordErrors: 0.09 }, false),
];

interface Spending {
  readonly before: number;
  /** Credits an hour over the last hour from the change on. */
  readonly now: number;
  /** The same over the last day; default: as before. */
  readonly day?: number;
  /** The minutes between which it is known what is usual. Default: all the time. */
  readonly usual?: readonly number[];
}

function anomaly(
  key: string,
  title: string,
  { before, now, day = before, usual = [0, MINUTES] }: Spending,
  firesAt?: number,
): Story {
  const name = "AIGatewayKeySpendAnomaly";
  const burn = (window: string, later: number): InputSeries =>
    given(forecastFamilies.keyBurn.name, { key, window }, (minute) => (minute < CHANGE ? before : later));
  const [from = 0, to = 0] = usual;
  const known = (window: string): InputSeries =>
    given(forecastFamilies.keyUsualBurn.name, { key, window }, (minute) =>
      minute >= from && minute < to ? before : null,
    );
  const series = [
    given(keyFamilies.ownerInfo.name, { key, team: TEAM, project: "", cost_center: "" }, () => 1),
    burn("1h", now),
    burn("1d", day),
    known("1h"),
    known("1d"),
  ];
  const alert = { alertname: name, job: JOB, key, severity: "info", team: TEAM };
  const subject = `key=${key}`;
  const expect =
    firesAt === undefined
      ? [silent(subject, name, 0, MINUTES - 1)]
      : [silent(subject, name, 0, CHANGE), firing(subject, firesAt, name, [alert])];
  return { title: `${name}: ${title}`, subject, series, expect };
}

function probe(
  name: string,
  alert: string,
  title: string,
  later: { readonly seconds: number; readonly wordErrors: number },
  isFiring: boolean,
): Story {
  const alertname = `AIGateway${alert}`;
  const runs = Array.from({ length: MINUTES / HOUR }, (_, hour) => hour * HOUR);
  const answer = (minute: number) => (minute < CHANGE ? { seconds: 2, wordErrors: 0 } : later);
  const series = simulateProbe({ name, runs, answer }, MINUTES, STEP);
  const subject = `probe=${name}`;
  const labels = { job: JOB, key: name, model: modelOf(name), probe: name, severity: "warning", team: TEAM };
  const expect = isFiring
    ? [
        // Half of the recent runs.
        silent(subject, alertname, 0, CHANGE + 2 * HOUR),
        firing(subject, CHANGE + 4 * HOUR, alertname, [{ alertname, ...labels }]),
      ]
    : [silent(subject, alertname, 0, MINUTES - 1)];
  return { title: `${alertname}: ${title}`, subject, series, expect };
}

function given(
  name: string,
  labels: Readonly<Record<string, string>>,
  value: (minute: number) => number | null,
): InputSeries {
  const values = Array.from({ length: MINUTES / STEP }, (_, step) => value(step * STEP));
  return seriesOf(name, { job: JOB, instance: "a:9853", ...labels }, values);
}

const groups = createRules().filter(({ name }) => /^aigateway-(key-spend|probes)$/.test(name));

describeWithTools(["promtool3"], "alerts that compare with a week", ({ promtool3 }) =>
  testStories(promtool3, stories, groups, STEP),
);
