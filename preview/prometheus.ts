import { type DataFrame, FieldType, toDataFrame } from "@grafana/data";

import type { Panel, Target } from "./dashboard.ts";

/** The value chosen for each variable. */
export type Choices = Readonly<Record<string, string>>;

export interface Times {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
}

interface Answer {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

/** The results of a panel's queries, as the frames that Grafana's data source would return. */
export async function framesOf(panel: Panel, choices: Choices, times: Times): Promise<DataFrame[]> {
  const targets = panel.targets ?? [];
  const answers = await Promise.all(targets.map((target) => ask(target, choices, times)));
  const tables = targets.filter(({ format }) => format === "table").length;
  return targets.flatMap((target, index) => {
    const series = answers[index] ?? [];
    if (target.format === "table") return tableFrame(target, series, tables > 1, times.to);
    return series.map((one) => seriesFrame(target, one, times));
  });
}

/** The values of a label, or of the only label of a query, for the selectors at the top of the page. */
export async function labelValues(query: string, choices: Choices): Promise<readonly string[]> {
  const [, expr] = /^query_result\((.*)\)$/.exec(query) ?? [];
  if (expr !== undefined) {
    const { result } = await get<Result>("query", { query: filled(expr, choices) });
    return result.flatMap(({ metric }) => Object.values(metric));
  }
  const [, selector = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
  const values = await get<readonly string[]>(`label/${label}/values`, {
    "match[]": filled(selector, choices),
  });
  return values.filter((value) => value !== "");
}

export function filled(text: string, choices: Choices): string {
  return text.replaceAll(/\$(\w+)/g, (all, name: string) => choices[name] ?? all);
}

async function ask(
  target: Target,
  choices: Choices,
  { from, to, stepMs }: Times,
): Promise<readonly Answer[]> {
  const query = filled(target.expr, choices);
  const data = target.instant
    ? await get<Result>("query", { query, time: seconds(to) })
    : await get<Result>("query_range", {
        query,
        start: seconds(Math.floor(from / stepMs) * stepMs),
        end: seconds(Math.floor(to / stepMs) * stepMs),
        step: seconds(stepMs),
      });
  return data.result;
}

interface Result {
  readonly result: readonly Answer[];
}

function seconds(ms: number): string {
  return String(ms / 1000);
}

async function get<Data>(path: string, parameters: Readonly<Record<string, string>>): Promise<Data> {
  const response = await fetch(`/prometheus/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
  const body: { status: string; error?: string; data: Data } = await response.json();
  if (body.status !== "success") throw new Error(body.error ?? response.statusText);
  return body.data;
}

function number(text: string | undefined): number | null {
  return text === undefined ? null : Number(text.replace("Inf", "Infinity"));
}

function seriesFrame(
  target: Target,
  { metric, value, values }: Answer,
  { from, to, stepMs }: Times,
): DataFrame {
  const points = new Map((values ?? (value ? [value] : [])).map(([at, text]) => [at * 1000, number(text)]));
  const first = Math.floor(from / stepMs) * stepMs;
  // A graph needs a point at every step; steps without a sample are null.
  const times = value
    ? [...points.keys()]
    : Array.from({ length: Math.floor((to - first) / stepMs) + 1 }, (_, index) => first + index * stepMs);
  const name =
    target.legendFormat?.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? "") ?? "";
  return toDataFrame({
    refId: target.refId,
    name,
    fields: [
      { name: "Time", type: FieldType.time, values: times, config: {} },
      {
        name: "Value",
        type: FieldType.number,
        values: times.map((at) => points.get(at) ?? null),
        labels: metric,
        config: name === "" ? {} : { displayNameFromDS: name },
      },
    ],
  });
}

/** Each label is a column. With several queries, each value column carries its query's name. */
function tableFrame(target: Target, series: readonly Answer[], several: boolean, at: number): DataFrame[] {
  if (series.length === 0) return [];
  const labels = [...new Set(series.flatMap(({ metric }) => Object.keys(metric)))].toSorted();
  return [
    toDataFrame({
      refId: target.refId,
      fields: [
        { name: "Time", type: FieldType.time, values: series.map(() => at), config: {} },
        ...labels.map((label) => ({
          name: label,
          type: FieldType.string,
          values: series.map(({ metric }) => metric[label] ?? ""),
          config: {},
        })),
        {
          name: several ? `Value #${target.refId}` : "Value",
          type: FieldType.number,
          values: series.map(({ value }) => number(value?.[1])),
          config: {},
        },
      ],
    }),
  ];
}
