import type { DashboardJson, PanelJson, TargetJson } from "../dashboards/dashboard-json.ts";
import type { PrometheusApi, Series } from "../support/prometheus-api.ts";

/** The reader's choices, as Grafana inserts them into expressions. */
export type Choices = Readonly<Record<string, string>>;

/** A key of the demo's gateway that has a limit and spends; the other values select everything. */
export const CHOICES: Choices = {
  job: ".+",
  gateway: ".*",
  instance: ".+",
  team: ".*",
  budget: ".*",
  app: ".*",
  model: ".*",
  key: "support-bot",
  api_key: ".*",
  query: "users",
  __rate_interval: "10m",
};

/** The result of a panel's query; an instant value is a series of one point. */
export function ask(
  prometheus: PrometheusApi,
  { dashboard, panel, target, choices, now }: Question,
): Promise<readonly Series[]> {
  const expr = filled(target.expr, choices);
  if (target.range) return prometheus.queryRange(expr, rangeOf(dashboard, panel, now));
  return prometheus
    .query(expr, now)
    .then((samples) => samples.map(({ labels, value, at }) => ({ labels, points: [{ value, at }] })));
}

export interface Question {
  readonly dashboard: DashboardJson;
  readonly panel: PanelJson;
  readonly target: TargetJson;
  readonly choices: Choices;
  readonly now: number;
}

/** The expression with the reader's choices. Exported for annotations. @throws if a variable has no choice. */
export function filled(expr: string, choices: Choices): string {
  return expr.replaceAll(/\$([A-Za-z_]\w*)/g, (_text, name: string) => {
    const choice = choices[name];
    if (choice === undefined) throw new Error(`No choice for the variable "${name}" in: ${expr}`);
    return choice;
  });
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Like Grafana: from the beginning of the dashboard or the panel, in steps that start at multiples of themselves. */
function rangeOf(dashboard: DashboardJson, panel: PanelJson, now: number) {
  const from = startOf(panel.timeFrom || dashboard.time.from, now);
  const stepMs = Math.max(
    durationMs(panel.interval || "1m"),
    Math.ceil((now - from) / 1000 / 60_000) * 60_000,
  );
  return { start: Math.floor(from / stepMs) * stepMs, end: Math.floor(now / stepMs) * stepMs, stepMs };
}

function startOf(from: string, now: number): number {
  const date = new Date(now);
  if (from === "now/M") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return now - durationMs(from.replace("now-", ""));
}

function durationMs(text: string): number {
  const [, count = "", unit = ""] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (!Number.isFinite(ms)) throw new Error(`Cannot read the duration "${text}"`);
  return ms;
}
