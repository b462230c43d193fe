import { modelOf, type SimulatedProbe, simulateProbe, TEAM } from "./simulated-probe.ts";
import { firing, silent, type Story } from "./story.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";

const HOUR = 60;
const DAY = 24 * HOUR;
const MINUTES = 6 * DAY;
/** The minute from which on the probes behave differently. */
const CHANGE = 4 * DAY;
const ALERTS = "AIGatewayProbe(Slow|QualityDropped)";

/** For four days, the probes run every hour, take two seconds and get one of eleven words wrong. */
export const probeWeeks: readonly Story[] = [
  changed("slow", { seconds: 4.4 }, "ProbeSlow", "a probe that takes more than twice as long fires an alert"),
  changed("slower", { seconds: 3.9 }, "", "a probe that takes not quite twice as long is silent"),
  changed(
    "worse",
    { wordErrors: 3 / 11 },
    "ProbeQualityDropped",
    "a probe with two more wrong words of eleven fires an alert",
  ),
  changed("other", { wordErrors: 2 / 11 }, "", "a probe with one more wrong word of eleven is silent"),
  stopped("halted", { seconds: 20 }, "ProbeSlow"),
  stopped("muted", { wordErrors: 1 }, "ProbeQualityDropped"),
  weekly("short", "a probe that takes twice as long as half a second is silent", {
    answer: (minute) => ({ seconds: minute < CHANGE ? 0.5 : 1.2, wordErrors: 0 }),
  }),
  weekly("lone", "a probe with one slow run in three is silent", {
    answer: (minute) => ({ seconds: minute > CHANGE && minute % 180 === 0 ? 50 : 2, wordErrors: 0 }),
  }),
  weekly("failed", "a probe whose runs get no answer does not count as slow", {
    answer: (minute) => (minute < CHANGE ? { seconds: 2, wordErrors: 0 } : undefined),
  }),
  weekly("young", "a probe that changes after six hours of history is silent", {
    runs: every(HOUR).filter((minute) => minute >= CHANGE - 6 * HOUR),
    answer: (minute) => ({ seconds: minute < CHANGE ? 2 : 20, wordErrors: minute < CHANGE ? 0 : 1 }),
  }),
  weekly("seldom", "a probe that runs every six hours is silent", {
    runs: every(6 * HOUR),
    intervalMinutes: 6 * HOUR,
    answer: (minute) => ({ seconds: minute < CHANGE ? 2 : 20, wordErrors: minute < CHANGE ? 0 : 1 }),
  }),
];

/**
 * The alert fires three hours (half of the recent window) and ten minutes after the change, and still
 * compares with the days before two days later.
 */
function changed(
  name: string,
  change: { readonly seconds?: number; readonly wordErrors?: number },
  alert: string,
  title: string,
): Story {
  const story = weekly(name, title, { answer: answerOf(change) });
  if (alert === "") return story;
  const labels = { alertname: `AIGateway${alert}`, job: JOB, severity: "warning" };
  const expected = { ...labels, probe: name, key: name, model: modelOf(name), team: TEAM };
  return {
    ...story,
    expect: [
      silent(story.subject, ALERTS, 0, CHANGE + 3 * HOUR),
      firing(story.subject, CHANGE + 3 * HOUR + 20, ALERTS, [expected]),
      firing(story.subject, MINUTES - 1, ALERTS, [expected]),
    ],
  };
}

/**
 * The probe changes and the alert fires. It runs for the last time 23 hours after the change; the alert ends
 * three hours later.
 */
function stopped(
  name: string,
  change: { readonly seconds?: number; readonly wordErrors?: number },
  alert: string,
): Story {
  const end = CHANGE + DAY;
  const story = changed(name, change, alert, `an alert ends when the probe no longer runs: ${alert}`);
  const probe = { runs: every(HOUR).filter((minute) => minute < end), answer: answerOf(change) };
  return {
    ...weekly(name, story.title, probe),
    expect: [...story.expect.slice(0, -1), silent(story.subject, ALERTS, end + 2 * HOUR + 4, MINUTES - 1)],
  };
}

function weekly(name: string, title: string, behaviour: Partial<SimulatedProbe>): Story {
  const probe = { name, runs: every(HOUR), answer: () => undefined, ...behaviour };
  const subject = `probe=${name}`;
  return {
    title: `${subject}: ${title}`,
    subject,
    series: simulateProbe(probe, MINUTES),
    expect: [silent(subject, ALERTS, 0, MINUTES - 1)],
  };
}

function answerOf(change: { readonly seconds?: number; readonly wordErrors?: number }) {
  const usual = { seconds: 2, wordErrors: 1 / 11 };
  return (minute: number) => (minute < CHANGE ? usual : { ...usual, ...change });
}

function every(minutes: number): readonly number[] {
  return Array.from({ length: MINUTES / minutes }, (_, index) => index * minutes);
}
