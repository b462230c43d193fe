import { discoveryFamilies } from "../../../../exporter/collectors/discovery-families.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import { recorded } from "../../../../dashboards/rules/series.ts";
import type { InputSeries } from "../input-series.ts";
import { simulateKey } from "../simulated-key.ts";
import type { Story } from "../story.ts";
import { type AlertCase, CASE_MINUTES, casesOf, exposed } from "./alert-case.ts";

const of = casesOf("AIGatewayKey", "key", { team: "payments" });

// 100 credits at 60 an hour are used up at minute 100.
const fast = spends("fast", () => 1);
// Used up within three minutes, too fast for an announcement. What exceeds the limit is refused.
const sudden = spends("sudden", atOnce(105));
const stuck = spends("stuck", atOnce(99.6));
const idle = spends("idle", atOnce(99.4));
// A call every three minutes for an hour. Then less than one call is left, or enough for a few calls.
const seldom = spends("seldom", (minute) => everyThreeMinutes(minute, 91.05, 0.45));
const quiet = spends("quiet", (minute) => everyThreeMinutes(minute, 97.8, 0.1));
const slowly = spends("slowly", () => 100 / 720);
// Would be used up at minute 100, like `fast`.
const disabled = [...spends("disabled", () => 1), disabledFrom("disabled", 0)];
const enabled = [...spends("enabled", atOnce(105)), disabledFrom("enabled", Infinity)];
const stopped = [...spends("stopped", atOnce(105)), disabledFrom("stopped", 64)];
const lasting = spends("lasting", () => 95 / 1440);

/** Alerts on remaining credits. Alerts that need days of history are tested in stories. */
export const keyCreditCases: readonly AlertCase[] = [
  of("Exhausted", "critical", "sudden", "nothing is left", sudden, 66),
  of("Exhausted", "critical", "fast", "nothing is left, which was announced", fast),
  of("Exhausted", "critical", "stuck", "too little for a call is left and nothing is spent", stuck, 75),
  of("Exhausted", "critical", "idle", "a little more is left", idle),
  of("Exhausted", "critical", "disabled", "nothing is left of a disabled key", disabled),
  of("Exhausted", "critical", "enabled", "nothing is left of a listed key", enabled, 66),
  of("Exhausted", "critical", "stopped", "is disabled when nothing is left", stopped),
  of("ExhaustionImminent", "critical", "disabled", "forty minutes are left of a disabled key", disabled),
  of("ExhaustionPredicted", "warning", "disabled", "hours are left of a disabled key", disabled),
  of("ExhaustionImminent", "critical", "fast", "forty minutes are left", fast, 63),
  of("ExhaustionImminent", "critical", "sudden", "it is used up within three minutes", sudden),
  of("ExhaustionImminent", "critical", "slowly", "hours are left", slowly),
  of("ExhaustionPredicted", "warning", "fast", "three hours are left", fast, 17),
  of("ExhaustionPredicted", "warning", "lasting", "the credits last until the reset", lasting),
];

function disabledFrom(key: string, from: number) {
  return exposed(discoveryFamilies.disabled, { key }, (minute) => Number(minute >= from));
}

/** Keys for which the page was sent before: whether they count as exhausted shows in the series that remembers it. */
export const exhaustedStories: readonly Story[] = [
  counts("seldom", "less than one of its rare calls is left", seldom, 88),
  counts("quiet", "a few of its rare calls are left", quiet),
];

function counts(key: string, title: string, series: readonly InputSeries[], from?: number): Story {
  const expr = `${recorded.exhaustedSince.name}{key="${key}"}`;
  const samples = [
    { labels: `${recorded.exhaustedSince.name}{job="${JOB}",key="${key}"}`, value: (from ?? 0) * 60 },
  ];
  const expect =
    from === undefined
      ? [{ at: CASE_MINUTES - 1, expr: `count_over_time(${expr}[${CASE_MINUTES}m])`, samples: [] }]
      : [
          { at: from - 1, expr, samples: [] },
          { at: from + 1, expr, samples },
        ];
  return { title: `exhausted, key=${key}: ${title}`, subject: `key=${key}`, series, expect };
}

/** Spends an amount in the three minutes after the first hour. */
function atOnce(credits: number): (minute: number) => number {
  return (minute) => (minute >= 60 && minute < 63 ? credits / 3 : 0);
}

function everyThreeMinutes(minute: number, first: number, call: number): number {
  if (minute === 0) return first;
  return minute < 60 && minute % 3 === 0 ? call : 0;
}

function spends(name: string, spend: (minute: number) => number) {
  return simulateKey({ name, team: "payments", limit: 100, reset: "daily", spend }, CASE_MINUTES).series;
}
