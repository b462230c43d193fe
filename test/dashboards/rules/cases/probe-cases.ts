import { probeFamilies as families } from "../../../../exporter/probes/families.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import type { InputSeries } from "../input-series.ts";
import { firing, silent, type Story } from "../story.ts";
import { modelOf, type SimulatedProbe, simulateProbe, TEAM } from "../simulated-probe.ts";
import { type AlertCase, CASE_MINUTES, casesOf, exposed, HOUR } from "./alert-case.ts";

/** Alerts on probes that run every hour from minute 0. Alerts on medians need a week and have their own test. */
export const probeCases: readonly AlertCase[] = [
  failing("two-failed", "two runs in a row fail", { answer: (minute) => good(minute < 180) }, 245),
  failing("one-failed", "every second run fails", { answer: (minute) => good(minute % 120 === 0) }),
  failing(
    "failed-over-restart",
    "the last run before and the first run after a restart of the exporter fail",
    { answer: (minute) => good(minute < 180), restartAt: 200 },
    245,
  ),
  failing(
    "good-before-restart",
    "one run fails before a restart and one after it, with successes between them",
    {
      answer: (minute) => good(minute !== 60 && minute !== 240),
      restartAt: 200,
    },
  ),
  failing(
    "failed-by-day",
    "runs fail for six hours, with a schedule that pauses at weekends",
    { answer: (minute) => good(minute < 60), intervalMinutes: 62 * HOUR },
    366,
  ),
  failing("failed-at-times-by-day", "two of eight runs fail, with a schedule that pauses at weekends", {
    answer: (minute) => good(minute % 240 > 0),
    intervalMinutes: 62 * HOUR,
  }),
  failing("never-good", "no run ever succeeds", { runs: [30, 90, 150], answer: () => good(false) }, 95),
  failing("once-bad", "the only run fails", {
    runs: [30],
    answer: () => good(false),
    intervalMinutes: 8 * HOUR,
  }),
  notRun("left-out", "the last run was at minute 60", { runs: [0, 60] }, 251),
  notRun("every-third", "every third due run takes place", { runs: [0, 180, 360] }),
  notRun("never-run", "no run takes place in six hours, although one is due every hour", { runs: [] }, 370),
  notRun("not-yet-due", "the probe is due every four hours and has not run yet", {
    runs: [],
    intervalMinutes: 4 * HOUR,
  }),
  notRun("removed", "the probe is removed from the configuration", {
    runs: every(2),
    intervalMinutes: 2,
    removedAt: 101,
  }),
  spendLimit("spent", "another run would exceed the ceiling", (minute) => (minute < 100 ? 0.9 : 0.95), 110),
  spendLimit("spent-but-one", "another run would reach the ceiling exactly", () => 0.9),
  spendLimit("under-way", "the ceiling is not reached while runs are in progress", (minute) =>
    minute % 60 < 10 ? 0.95 : 0.9,
  ),
  notRun(
    "not-spent",
    "the last run was at minute 60, and the ceiling allows another one",
    { job: "not-spent", runs: [0, 60] },
    251,
    [
      exposed(families.spendDay, {}, () => 0.9, { job: "not-spent" }),
      exposed(families.spendDayLimit, {}, () => 1, { job: "not-spent" }),
      exposed(families.costLimit, {}, () => 0.1, { job: "not-spent" }),
    ],
  ),
  { ...notRun("spent", "the ceiling prevents the run, which has its own alert", {}), subject: "job=spent" },
];

const STOPPED = {
  runs: [0, 60, 120, 180, 240],
  answer: (minute: number) => good(minute < 180),
};

/** An alert that ends, which no case shows. */
export const stoppedProbe: Story = {
  title: "AIGatewayProbeFailing, probe=halted: ends when a probe that failed no longer runs",
  subject: "probe=halted",
  series: seriesOfProbe("halted", STOPPED),
  expect: [
    firing("probe=halted", 300, "AIGatewayProbeFailing", [
      {
        alertname: "AIGatewayProbeFailing",
        severity: "critical",
        job: JOB,
        ...labelsOf("halted"),
        probe: "halted",
      },
    ]),
    silent("probe=halted", "AIGatewayProbeFailing", 450, CASE_MINUTES - 1),
  ],
};

function good(isGood: boolean) {
  return isGood ? { seconds: 2, wordErrors: 0 } : undefined;
}

function every(minutes: number): readonly number[] {
  return Array.from({ length: CASE_MINUTES / minutes }, (_, index) => index * minutes);
}

type Behaviour = Partial<Omit<SimulatedProbe, "name">>;

function seriesOfProbe(name: string, behaviour: Behaviour): readonly InputSeries[] {
  return simulateProbe({ name, runs: every(HOUR), answer: () => good(true), ...behaviour }, CASE_MINUTES);
}

function labelsOf(name: string) {
  return { team: TEAM, key: name, model: modelOf(name) };
}

function ofProbe(name: string, job = JOB) {
  return casesOf("AIGatewayProbe", "probe", { ...labelsOf(name), job });
}

function failing(name: string, title: string, behaviour: Behaviour, firesAt?: number): AlertCase {
  return ofProbe(name)("Failing", "critical", name, title, seriesOfProbe(name, behaviour), firesAt);
}

function notRun(
  name: string,
  title: string,
  behaviour: Behaviour,
  firesAt?: number,
  others: readonly InputSeries[] = [],
): AlertCase {
  const series = [...seriesOfProbe(name, behaviour), ...others];
  return ofProbe(name, behaviour.job)("NotRun", "warning", name, title, series, firesAt);
}

/** All probes of a job share one ceiling, so each case has its own job. Its probe does not run after minute 60. */
function spendLimit(
  name: string,
  title: string,
  spent: (minute: number) => number,
  firesAt?: number,
): AlertCase {
  const labels = { ...labelsOf(name), probe: name };
  const series = [
    ...seriesOfProbe(name, { job: name, runs: [0, 60] }),
    exposed(families.spendDay, {}, spent, { job: name }),
    exposed(families.spendDayLimit, {}, () => 1, { job: name }),
    exposed(families.costLimit, {}, () => 0.1, { job: name }),
  ];
  return casesOf("AIGatewayProbe", "job", labels)("SpendLimit", "warning", name, title, series, firesAt);
}
