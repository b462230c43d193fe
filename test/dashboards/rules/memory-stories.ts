import { recorded } from "../../../dashboards/rules/series.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import {
  type Alert,
  ALERTS,
  between,
  type GivenKey,
  givenStory,
  none,
  since,
  SLOW_SINCE,
  TEAM,
} from "./given-key.ts";
import { type Expectation, firing, type Story } from "./story.ts";

const MINUTES = 400;
/** From when to when the condition of an alert is true. Later, the alert has other reasons to last. */
const START = 4;
const END = 20;
/** The last answer of the gateway. */
const LAST = 90;
/** The first evaluation for which that answer is too old. */
const UNHEARD = LAST + 26;

/**
 * What the alerts on a key's credits remember: it shows in the series with the time since when each is true.
 * Evaluated every two minutes.
 */
export const memoryStories: readonly Story[] = [
  ordered(),
  story("blocked", "a key with a limit of zero is not exhausted", { limit: () => 0, remaining: () => 0 }, [
    none(recorded.exhaustedSince, "blocked", 50),
  ]),
  story(
    "shown",
    "an alert is kept for half a day after the last known values, even if the exporter still shows them",
    { is: { imminent: between(START, LAST) }, answers: (minute) => minute <= LAST },
    [
      none(recorded.unheard, "shown", UNHEARD - 5),
      {
        at: 301,
        expr: `${recorded.alertEnd.name}{key="shown"} - ${(UNHEARD - 2) * 60 + 12 * 3600}`,
        samples: [{ labels: `{job="${JOB}",key="shown"}`, value: 0 }],
      },
    ],
  ),
  story("calm", "nothing is remembered of a key without an alert", {}, [
    none(recorded.alertEnd, "calm", 50),
    none(recorded.alertLimit, "calm", 50),
  ]),
  ...ALERTS.flatMap((alert) => [aloneUnheard(alert), waitingUnheard(alert)]),
  ...ALERTS.flatMap((alert, rank) =>
    ALERTS.slice(0, rank).flatMap((nearer) =>
      alert === "exhausted" ? [] : [keptBy(alert, nearer, true), keptBy(alert, nearer, false)],
    ),
  ),
  story(
    "reset",
    "a reset ends the alerts",
    {
      is: { low: between(START, 60), predicted: between(60, 100), imminent: between(90, 100) },
      reset: (minute) => (minute < 100 ? 100 : 1540),
    },
    [
      since("low", "reset", 97, START * 60),
      since("predicted", "reset", 97, 60 * 60),
      since("imminent", "reset", 97, 90 * 60),
      ...(["low", "predicted", "imminent"] as const).map((alert) => since(alert, "reset", 103)),
    ],
  ),
  story(
    "reset-slow",
    "a reset ends the alert a week ahead",
    {
      is: { slow: between(START, 100) },
      slowUntil: START - 1,
      threeDays: () => 5000,
      reset: (minute) => (minute < 100 ? 100 : 1540),
    },
    [since("slow", "reset-slow", 97, SLOW_SINCE), since("slow", "reset-slow", 103)],
  ),
  story(
    "reset-unheard",
    "an alert ends at the reset that the last answer announced",
    {
      is: { imminent: between(START, LAST) },
      reset: () => 200,
      answers: (minute) => minute <= LAST,
      shows: (minute) => minute < LAST + 3,
    },
    [since("imminent", "reset-unheard", 199, START * 60), since("imminent", "reset-unheard", 203)],
  ),
  story(
    "raised",
    "raising the limit ends an alert that has just begun",
    { is: { imminent: between(20, 26) }, limit: (minute) => (minute < 26 ? 100 : 200) },
    [since("imminent", "raised", 25, 20 * 60), since("imminent", "raised", 29)],
  ),
  predictedFor("lasting-rate", "keeps a warning", 100_000, undefined, START * 60),
  predictedFor("ebbing-rate", "that leaves more than two days ends a warning", 200_000),
  predictedFor("resetting-rate", "that leaves more than the time to the reset ends a warning", 100_000, 1500),
  slowFor("ebbing-days", "leaves more than two weeks", 1_300_000),
  slowFor("resetting-days", "leaves more than the time to the reset", 604_800, 10_000),
  refunded("refund", "spent again within minutes does not end its alert", 100, 1800, START * 60),
  refunded("lasting-refund", "spent slowly ends its alert", 100, 3000),
  refunded("early-refund", "that comes before the alert fires ends it", START + 2, 1800),
  story(
    "zero",
    "a key whose limit becomes zero has no share left to show",
    { is: { low: between(START, 60) }, limit: (minute) => (minute < 60 ? 100 : 0) },
    [lowFiring("zero", 51), firing("key=zero", 65, "AIGatewayKeyLimitLow", [])],
  ),
];

/** At the first moment all conditions are true for one evaluation, at the second all but the most urgent one, and so on. */
function ordered(): Story {
  return story(
    "order",
    "each alert begins only while no more urgent one is true, and ends if it has not fired",
    { is: Object.fromEntries(ALERTS.map((alert, rank) => [alert, isUntil(rank)])) },
    ALERTS.flatMap((alert, rank) => [
      since(alert, "order", moment(rank) + 1, moment(rank) * 60),
      ...ALERTS.slice(rank + 1).map((later) => since(later, "order", moment(rank) + 1)),
      since(alert, "order", moment(rank) + 3),
    ]),
  );
}

function moment(rank: number): number {
  return 20 * (rank + 1);
}

/** True at each moment up to that of a rank. */
function isUntil(rank: number): (minute: number) => boolean {
  return (minute) => minute >= moment(0) && minute < moment(rank + 1) && minute % 20 < 2;
}

/** The only alert of a key lasts while the gateway does not answer, and ends when an answer shows a higher limit. */
function aloneUnheard(alert: Alert): Story {
  const key = `alone-${alert}`;
  const until = alert === "exhausted" ? 210 : LAST - 2;
  const is = (minute: number) => between(START, until)(minute) || between(200, 210)(minute);
  return story(
    key,
    `an alert lasts without answers, and a higher limit ends it: ${alert}`,
    {
      is: { [alert]: is },
      limit: (minute) => (minute < 210 ? 100 : 200),
      answers: (minute) => minute <= LAST || minute >= 210,
      shows: (minute) => minute < LAST + 3 || minute >= 210,
      ...(alert === "slow" ? { slowUntil: START - 1 } : {}),
    },
    [
      since(alert, key, 199, startOf(alert)),
      since(alert, key, 213),
      ...(alert === "low" ? [lowFiring(key, 199)] : []),
    ],
  );
}

/** An alert that has not fired when the answers become too old. An earlier alert on the key has. */
function waitingUnheard(alert: Alert): Story {
  const key = `waiting-${alert}`;
  const earlier = between(START, 10);
  const is = between(UNHEARD - 2, UNHEARD);
  return story(
    key,
    `an alert that has not fired ends without answers: ${alert}`,
    {
      is: {
        imminent: earlier,
        [alert]: alert === "imminent" ? (minute: number) => earlier(minute) || is(minute) : is,
      },
      answers: (minute) => minute <= LAST,
    },
    [since(alert, key, UNHEARD - 1, (UNHEARD - 2) * 60), since(alert, key, UNHEARD + 1)],
  );
}

/**
 * The alert's own reasons to last end at one moment. A more urgent alert keeps it if it fires by then, but
 * not if it has only begun.
 */
function keptBy(alert: Exclude<Alert, "exhausted">, nearer: Alert, fires: boolean): Story {
  const key = `${alert}-${nearer}-${fires ? "fires" : "waits"}`;
  const end = alert === "predicted" ? END + 360 : END + 60;
  const from = fires ? end - 10 : end;
  const begun = alert === "slow" ? START - 1 : from - 1;
  return story(
    key,
    `${alert} ${fires ? "lasts while a more urgent alert fires" : "is not kept by a more urgent alert that has just begun"}: ${nearer}`,
    {
      is: { [alert]: between(START, END), [nearer]: between(from, MINUTES) },
      ...(alert === "slow" ? { threeDays: (minute: number) => (minute < end - 10 ? 604_800 : null) } : {}),
      ...(alert === "slow" || (nearer === "slow" && fires) ? { slowUntil: begun } : {}),
    },
    [
      since(alert, key, end - 19, startOf(alert)),
      since(alert, key, end + 5, fires ? startOf(alert) : undefined),
    ],
  );
}

/** Six hours after the condition of the warning ended. */
function predictedFor(key: string, title: string, seconds: number, reset?: number, from?: number): Story {
  return story(
    key,
    `the rate of six hours ${title}`,
    {
      is: { predicted: between(START, END) },
      sixHours: () => seconds,
      ...(reset === undefined ? {} : { reset: () => reset }),
    },
    [since("predicted", key, END + 365, from)],
  );
}

function slowFor(key: string, title: string, seconds: number, reset?: number): Story {
  return story(
    key,
    `the alert a week ahead ends when the rate of three days ${title}`,
    {
      is: { slow: between(START, END) },
      slowUntil: START - 1,
      threeDays: () => seconds,
      ...(reset === undefined ? {} : { reset: () => reset }),
    },
    [since("slow", key, END - 1, SLOW_SINCE), since("slow", key, END + 5)],
  );
}

/** An exhausted key gets a few calls. `seconds`: until they are used up. */
function refunded(key: string, title: string, at: number, seconds: number, from?: number): Story {
  return story(
    key,
    `a refund of an exhausted key ${title}`,
    {
      is: { exhausted: between(START, at) },
      remaining: (minute) => (minute < at ? 50 : 0.3),
      quarter: () => seconds,
    },
    [since("exhausted", key, at - 1, START * 60), since("exhausted", key, at + 11, from)],
  );
}

function story(key: string, title: string, given: GivenKey, expect: readonly Expectation[]): Story {
  return givenStory(key, title, given, MINUTES, expect);
}

function lowFiring(key: string, at: number): Expectation {
  const labels = { job: JOB, key, team: TEAM, severity: "info" };
  return firing(`key=${key}`, at, "AIGatewayKeyLimitLow", [{ alertname: "AIGatewayKeyLimitLow", ...labels }]);
}

function startOf(alert: Alert): number {
  return alert === "slow" ? SLOW_SINCE : START * 60;
}
