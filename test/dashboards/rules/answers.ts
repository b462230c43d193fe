import { createRules } from "../../../dashboards/rules/index.ts";
import type { InputSeries } from "./input-series.ts";
import { failuresOf } from "./story.ts";

/** A query at a minute since 1970-01-01 00:00 UTC. */
export interface Query {
  readonly at: number;
  readonly expr: string;
}

/** A sample of an answer: its labels as Prometheus writes them, without the metric name, and its value. */
export interface AnswerSample {
  readonly labels: string;
  readonly value: number;
}

/**
 * Evaluates the generated rules on keys over series, and then the queries, in their order. @throws if
 * promtool reports anything else.
 */
export async function answersOf(
  promtool: string,
  series: readonly InputSeries[],
  queries: readonly Query[],
  stepMinutes: number,
): Promise<readonly (readonly AnswerSample[])[]> {
  const groups = createRules().filter(({ name }) => name.startsWith("aigateway-key"));
  const expectations = queries.map(({ at, expr }) => ({ at, expr, samples: [NOT_GIVEN] }));
  const output = (await failuresOf(promtool, series, expectations, stepMinutes, groups)).join("\n");
  const answers = [...output.matchAll(/^ +got: (.*)$/gm)].map(([, got = ""]) => samplesOf(got));
  if (answers.length !== queries.length) throw new Error(`Cannot read the answers of promtool: ${output}`);
  return answers;
}

/** No query has this answer, so that promtool prints the real one. */
const NOT_GIVEN = { labels: '{not="given"}', value: 0 };

function samplesOf(got: string): readonly AnswerSample[] {
  return [...got.matchAll(/\S*?(\{.*?\}) (\S+?)(?=, |$)/g)].map(([, labels = "", value = ""]) => ({
    labels,
    value: Number(value.replace("Inf", "Infinity")),
  }));
}
