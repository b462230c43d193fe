import { promql, type Series } from "../promql.ts";
import { ofJob } from "./scope.ts";

/** What Prometheus itself records of the alerts that it evaluates. */
export const alerts: Series<"alertname" | "alertstate" | "severity" | "key" | "team" | "budget"> = {
  name: "ALERTS",
  labels: ["alertname", "alertstate", "severity", "key", "team", "budget"],
};

export const activeSince: Series<"alertname" | "severity" | "key" | "team" | "budget"> = {
  name: "ALERTS_FOR_STATE",
  labels: ["alertname", "severity", "key", "team", "budget"],
};

type Matchers = Readonly<Partial<Record<"alertname" | "key" | "team", string>>>;

/** The alerts of these rules that fire. */
export function firing(matchers: Matchers = {}): string {
  return ofJob(alerts, { alertname: "~AIGateway.*", ...matchers, alertstate: "firing" });
}

/** The same with the time since which they hold, in milliseconds. */
export function firingSince(matchers: Matchers = {}): string {
  const since = ofJob(activeSince, { alertname: "~AIGateway.*", ...matchers });
  return promql`1000 * max by (job, alertname, severity, team, key, budget) (${since} and ignoring (alertstate) ${firing(matchers)})`;
}
