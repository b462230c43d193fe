import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { promql, select, type Series, type TargetLabel } from "../promql.ts";

type Matchers<Label extends string> = Readonly<Partial<Record<NoInfer<Label> | TargetLabel, string>>>;

/** Whatever has a key: a family of the exporter or a recorded series. */
export type KeySeries = Series<"key"> | Series<"job" | "key">;

/** When a selector looks: now, unless told otherwise. */
export interface When {
  /** The last value within this time. */
  readonly last?: string;
  /** So long ago; with a minus, in so long a time. */
  readonly offset?: string;
  /** The same time at every step of a graph: that of its end or its start. */
  readonly at?: "start()" | "end()";
}

/** The series of the jobs that the reader has chosen. Every selector of a panel comes from here. */
export function ofJob<Label extends string>(series: Series<Label>, matchers?: Matchers<Label>): string {
  return scoped(series, 'job=~"$job"', matchers);
}

/** The same, of the chosen processes: for what a process says of itself. */
export function ofInstance<Label extends string>(series: Series<Label>, matchers?: Matchers<Label>): string {
  return scoped(series, 'job=~"$job",instance=~"$instance"', matchers);
}

/** What a process of the exporter says of itself in terms that every process has: other jobs have those series, too. */
export function ofExporter(expr: string): string {
  return promql`(${expr} and on (job, instance) ${lookedAt(ofInstance(selfFamilies.buildInfo), { last: "1d" })})`;
}

/** One series a key, whichever process told it: a second replica must not double a sum. */
export function perKey(selector: string): string {
  return `max by (job, key) (${selector})`;
}

/** Only keys of the chosen teams. */
export function ofTeam(expr: string, when: When = {}): string {
  const owner = lookedAt(ofJob(keyFamilies.ownerInfo, { team: "~$team" }), when);
  return promql`(${expr} and on (job, key) ${owner})`;
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
