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

type Matchers = Readonly<Partial<Record<"alertname" | "severity" | "key" | "team", string>>>;

/** What a table says of each alert; `about`: what has no column of its own. */
export type AlertLabel = "team" | "key" | "about";

/** The firing alerts of these rules. */
export function firing(matchers: Matchers = {}): string {
  return ofJob(alerts, { alertname: "~AIGateway.*", ...matchers, alertstate: "firing" });
}

/** The firing alerts, the more urgent the larger. */
export function urgency(matchers: Matchers, labels: readonly AlertLabel[]): string {
  const of = (severity: string) => firing({ ...matchers, severity });
  return each(promql`${of("critical")} * 3 or ${of("warning")} * 2 or ${of("info")}`, labels);
}

/** The firing alerts, each with the time at which its condition became true, in milliseconds. */
export function firingSince(matchers: Matchers, labels: readonly AlertLabel[]): string {
  const since = ofJob(activeSince, { alertname: "~AIGateway.*", ...matchers });
  return each(promql`1000 * (${since} and ignoring (alertstate) ${firing(matchers)})`, labels);
}

/** An alert has one of these labels at most. */
const SUBJECTS = ["budget", "id", "probe", "query", "workspace", "endpoint", "finding"];

function each(expr: string, labels: readonly AlertLabel[]): string {
  const about = `label_join(${expr}, "about", "", ${SUBJECTS.map((label) => `"${label}"`).join(", ")})`;
  return `max by (${["job", "gateway", "alertname", ...labels].join(", ")}) (${about})`;
}
