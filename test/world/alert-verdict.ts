import { stringify } from "yaml";
import { renderRuleFile } from "../../dashboards/rules/file.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { JOB } from "../../dashboards/rules/settings.ts";
import { testRules } from "../support/promtool.ts";
import type { JudgedAlert } from "./justified-alerts.ts";

/** What a Prometheus has scraped in a story, and what the books say about each alert. */
export interface ScrapedStory {
  readonly name: string;
  /** ISO 8601. */
  readonly start: string;
  readonly minutes: number;
  /** The text of the last scrape before each minute; undefined: there was none since the minute before. */
  readonly scrapes: readonly (string | undefined)[];
  readonly alerts: readonly JudgedAlert[];
  /** Whether no alert may fire that `alerts` does not name. */
  readonly isCalm: boolean;
}

/** Evaluates the generated rules over stories, and returns a message for each alert that lies or is missing. */
export async function alertFaults(
  promtool: string,
  stories: readonly ScrapedStory[],
): Promise<readonly string[]> {
  const groups = createRules();
  const rules = renderRuleFile(groups);
  const families = new Set(rules.match(/\b(?:aigateway_\w+|up)\b/g));
  const document = {
    rule_files: ["rules.yaml"],
    evaluation_interval: "1m",
    group_eval_order: groups.map(({ name }) => name),
    tests: stories.map((story) => ({
      name: story.name,
      interval: "1m",
      start_timestamp: story.start,
      input_series: seriesOf(story, families),
      promql_expr_test: expectationsOf(story),
    })),
  };
  const { ok, output } = await testRules(promtool, stringify(document, { lineWidth: 0 }), {
    "rules.yaml": rules,
  });
  if (ok) return [];
  const failures = output.split(/\n(?=[ \t]*(?:name|expr): )/).filter((part) => /^\s*expr: /.test(part));
  return failures.length > 0 ? failures : [output];
}

/** Nothing fires while the books do not justify it, and something does while they demand it. */
function expectationsOf({ alerts, minutes, isCalm }: ScrapedStory): readonly object[] {
  const known = [...new Set(alerts.flatMap(({ names }) => names))];
  return [
    ...(isCalm
      ? [never(`count_over_time(${firing(`alertname!~"${known.join("|")}"`)}[${minutes}m])`, minutes - 1)]
      : []),
    ...alerts.flatMap(({ names, subject, verdicts }) => {
      const one = firing(`alertname=~"${names.join("|")}",${subject}`);
      return [
        ...runsOf(verdicts, "unjustified").map(({ from, to }) =>
          never(`count_over_time(${one}[${to - from + 1}m])`, to),
        ),
        ...runsOf(verdicts, "demanded").map(({ from, to }) =>
          never(`count_over_time(absent(${one})[${to - from + 1}m:1m])`, to),
        ),
      ];
    }),
  ];
}

function firing(matchers: string): string {
  return `ALERTS{alertstate="firing",${matchers}}`;
}

function never(expr: string, minute: number): object {
  return { expr, eval_time: `${minute}m`, exp_samples: [] };
}

/** The runs of minutes with a verdict. */
function runsOf(verdicts: JudgedAlert["verdicts"], wanted: string) {
  const runs: { from: number; to: number }[] = [];
  for (const [minute, verdict] of verdicts.entries()) {
    if (verdict !== wanted) continue;
    const last = runs.at(-1);
    if (last && last.to === minute - 1) last.to = minute;
    else runs.push({ from: minute, to: minute });
  }
  return runs;
}

/** The series in promtool's notation, as a Prometheus has them that scrapes each minute. */
function seriesOf({ scrapes }: ScrapedStory, families: ReadonlySet<string>): readonly object[] {
  const values = new Map<string, string[]>();
  for (const [minute, text] of scrapes.entries()) {
    if (text === undefined) continue;
    const present = samplesOf(text, families);
    for (const [series, value] of present) {
      const course = values.get(series) ?? [];
      values.set(series, course);
      while (course.length < minute) course.push("_");
      course.push(value);
    }
    // A series that is missing in a scrape ends.
    for (const [series, course] of values)
      if (!present.has(series) && course.length === minute && course.at(-1) !== "stale") course.push("stale");
  }
  return [...values].map(([series, course]) => ({ series, values: course.join(" ") }));
}

function samplesOf(text: string, families: ReadonlySet<string>): ReadonlyMap<string, string> {
  const target = `job="${JOB}",instance="world:9853"`;
  return new Map(
    [...`up 1\n${text}`.matchAll(SAMPLE)].flatMap(([, family = "", labels = "", value = ""]) =>
      families.has(family)
        ? [[`${family}{${[target, labels].filter((each) => each !== "").join(",")}}`, value] as const]
        : [],
    ),
  );
}

const SAMPLE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm;
