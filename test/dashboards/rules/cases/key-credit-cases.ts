import { simulateKey } from "../simulated-key.ts";
import { type AlertCase, CASE_MINUTES, casesOf } from "./alert-case.ts";

const of = casesOf("AIGatewayKey", "key", { team: "payments" });

// 100 credits at 60 an hour are used up at minute 100.
const fast = spends("fast", () => 1);
const stuck = spends("stuck", (minute) => (minute < 60 ? 99.6 / 60 : 0));
const idle = spends("idle", (minute) => (minute < 60 ? 99.4 / 60 : 0));
// A call every three minutes for an hour. Then less than one call is left, or enough for a few calls.
const seldom = spends("seldom", (minute) => everyThreeMinutes(minute, 91.05, 0.45));
const quiet = spends("quiet", (minute) => everyThreeMinutes(minute, 97.8, 0.1));
const slowly = spends("slowly", () => 100 / 720);
const lasting = spends("lasting", () => 95 / 1440);

/** Alerts on remaining credits. Alerts that need days of history are tested in stories. */
export const keyCreditCases: readonly AlertCase[] = [
  of("Exhausted", "critical", "fast", "nothing is left", fast, 102),
  of("Exhausted", "critical", "stuck", "too little for a call is left and nothing is spent", stuck, 72),
  of("Exhausted", "critical", "idle", "a little more is left", idle),
  of("Exhausted", "critical", "seldom", "less than one of its rare calls is left", seldom, 90),
  of("Exhausted", "critical", "quiet", "a few of its rare calls are left", quiet),
  of("ExhaustionImminent", "critical", "fast", "forty minutes are left", fast, 65),
  of("ExhaustionImminent", "critical", "slowly", "hours are left", slowly),
  of("ExhaustionPredicted", "warning", "fast", "three hours are left", fast, 19),
  of("ExhaustionPredicted", "warning", "lasting", "the credits last until the reset", lasting),
];

function everyThreeMinutes(minute: number, atOnce: number, call: number): number {
  if (minute === 0) return atOnce;
  return minute < 60 && minute % 3 === 0 ? call : 0;
}

function spends(name: string, spend: (minute: number) => number) {
  return simulateKey({ name, team: "payments", limit: 100, reset: "daily", spend }, CASE_MINUTES).series;
}
