import { simulateKey } from "../simulated-key.ts";
import { type AlertCase, CASE_MINUTES, casesOf } from "./alert-case.ts";

const of = casesOf("AIGatewayKey", "key", { team: "payments" });

// 100 credits at 60 an hour end at minute 100.
const fast = spends("fast", () => 1);
const stuck = spends("stuck", (minute) => (minute < 60 ? 99.6 / 60 : 0));
const idle = spends("idle", (minute) => (minute < 60 ? 99.4 / 60 : 0));
const slowly = spends("slowly", () => 100 / 720);
const lasting = spends("lasting", () => 95 / 1440);

/** Alerts on what is left of a limit. Those that need days of history are told as stories. */
export const keyCreditCases: readonly AlertCase[] = [
  of("Exhausted", "critical", "fast", "nothing is left", fast, 102),
  of("Exhausted", "critical", "stuck", "too little for a call is left and nothing is spent", stuck, 72),
  of("Exhausted", "critical", "idle", "a little more is left", idle),
  of("ExhaustionImminent", "critical", "fast", "forty minutes are left", fast, 65),
  of("ExhaustionImminent", "critical", "slowly", "hours are left", slowly),
  of("ExhaustionPredicted", "warning", "fast", "three hours are left", fast, 19),
  of("ExhaustionPredicted", "warning", "lasting", "it lasts until the reset", lasting),
];

function spends(name: string, spend: (minute: number) => number) {
  return simulateKey({ name, team: "payments", limit: 100, reset: "daily", spend }, CASE_MINUTES).series;
}
