import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { promql, select, type Series, type TargetLabel } from "../promql.ts";

type Matchers<Label extends string> = Readonly<Partial<Record<NoInfer<Label> | TargetLabel, string>>>;

/** Any series with a key label: a family of the exporter. */
export type KeySeries = Series<"key"> | Series<"job" | "gateway" | "key">;

/** The time at which a selector reads its series; now by default. */
export interface When {
  /** Take the last value within this time. */
  readonly last?: string;
  /** How far to look back; a negative duration looks ahead. */
  readonly offset?: string;
  /** Use the same time at every step of a graph: its end or its start. */
  readonly at?: "start()" | "end()";
}

/** Selects a series of the chosen jobs and gateways. Every selector of a panel is made here. */
export function ofJob<Label extends string>(series: Series<Label>, matchers?: Matchers<Label>): string {
  return scoped(series, 'job=~"$job",gateway=~"$gateway"', matchers);
}

/** Selects a series of the chosen jobs and instances, for metrics about the exporter's process. */
export function ofInstance<Label extends string>(series: Series<Label>, matchers?: Matchers<Label>): string {
  return scoped(series, 'job=~"$job",gateway=~"$gateway",instance=~"$instance"', matchers);
}

/** Limits a metric that any process may expose, such as CPU time, to processes of the exporter. */
export function ofExporter(expr: string): string {
  return promql`(${expr} and on (job, gateway, instance) ${lookedAt(ofInstance(selfFamilies.buildInfo), { last: "1d" })})`;
}

/** Keeps one series for each key, so that a second replica does not double a sum. */
export function perKey(selector: string): string {
  return `max by (job, gateway, key) (${selector})`;
}

/** Keeps only the keys of the chosen teams. */
export function ofTeam(expr: string, when: When = {}): string {
  const owner = lookedAt(ofJob(keyFamilies.ownerInfo, { team: "~$team" }), when);
  return promql`(${expr} and on (job, gateway, key) ${owner})`;
}

export function lookedAt(selector: string, { last, offset, at }: When): string {
  const parts = [
    last === undefined ? selector : `${selector}[${last}]`,
    ...(offset === undefined ? [] : [`offset ${offset}`]),
    ...(at === undefined ? [] : [`@ ${at}`]),
  ];
  const text = parts.join(" ");
  return last === undefined ? text : `last_over_time(${text})`;
}

function scoped<Label extends string>(
  series: Series<Label>,
  scope: string,
  matchers?: Matchers<Label>,
): string {
  if (matchers === undefined || Object.keys(matchers).length === 0) return `${series.name}{${scope}}`;
  return select(series, matchers).replace("{", `{${scope},`);
}
