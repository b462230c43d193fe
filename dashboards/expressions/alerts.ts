import { promql, type Series } from "../promql.ts";
import { ofJob } from "./scope.ts";

/** The series that Prometheus itself records for each pending or firing alert. */
export const alerts: Series<"alertname" | "alertstate" | "severity" | "key" | "team" | "budget"> = {
  name: "ALERTS",
  labels: ["alertname", "alertstate", "severity", "key", "team", "budget"],
};

export const activeSince: Series<"alertname" | "severity" | "key" | "team" | "budget"> = {
  name: "ALERTS_FOR_STATE",
  labels: ["alertname", "severity", "key", "team", "budget"],
};

type Matchers = Readonly<Partial<Record<"alertname" | "key" | "team", string>>>;

/** The firing alerts of these rules. */
export function firing(matchers: Matchers = {}): string {
  return ofJob(alerts, { alertname: "~AIGateway.*", ...matchers, alertstate: "firing" });
}

/** The firing alerts, each with the time at which its condition became true, in milliseconds. */
export function firingSince(matchers: Matchers = {}): string {
  const since = ofJob(activeSince, { alertname: "~AIGateway.*", ...matchers });
  return promql`1000 * max by (job, gateway, alertname, severity, team, key, budget) (${since} and ignoring (alertstate) ${firing(matchers)})`;
}
