import { beforeAll, describe, expect, test } from "vitest";

import { key as keyDashboard } from "../../../dashboards/key.ts";
import { overview } from "../../../dashboards/overview.ts";
import { recorded } from "../../../dashboards/rules/series.ts";
import { describeWithTools } from "../../support/tools.ts";
import { type PanelJson, readDashboard } from "../dashboard-json.ts";
import { columnOf, figureOf, type Shown } from "../shown-text.ts";
import { answersOf } from "./answers.ts";
import { MINUTES, START, verdictRuns, verdictStories } from "./verdict-stories.ts";

function panelOf(dashboard: unknown, id: number): PanelJson {
  const panel = readDashboard(JSON.stringify(dashboard)).panels.find((one) => one.id === id);
  if (!panel) throw new Error(`There is no panel ${id}`);
  return panel;
}

const verdict = columnOf(panelOf(overview, 10), "Verdict");
const lasts = columnOf(panelOf(overview, 10), "Lasts");
const verdictOfKey = figureOf(panelOf(keyDashboard, 1));
const lastsOfKey = figureOf(panelOf(keyDashboard, 4));
const spentPerHour = figureOf(panelOf(keyDashboard, 22));

const EARLY = [8, 36, 92, 420].map((minute) => START + minute);
const SIX_HOURS = START + 368;
const OFTEN = Array.from({ length: 40 }, (_, index) => START + 12 + 12 * index).filter((at) => at < MINUTES);
const TIMES = [...new Set([...EARLY, ...OFTEN, SIX_HOURS])].toSorted((one, other) => one - other);
const DAY = 86_400;
/** When the figures of the dashboard of a key are compared with its row, and when its first bar begins. */
const [COMPARED, FIRST_HOUR] = [START + 92, START];

/** What the dashboards and the alerts report about one key at one minute. */
interface Report {
  readonly at: number;
  readonly verdict: string;
  readonly lasts: string;
  /** Seconds until the reset. */
  readonly reset: number;
  readonly alerts: readonly string[];
}

const everyOne = (text: string) => text.replaceAll(/\$\w+/g, ".*");
const ofOne = (key: string, { expr }: Shown) => everyOne(expr.replaceAll("$key", key));

describeWithTools(["promtool3"], "the verdict on keys", ({ promtool3 }) => {
  const reports = new Map<string, Report[]>();
  /** The dashboard of each key. */
  const details = new Map<string, { verdict: string; lasts: string; firstHour: number | undefined }>();

  beforeAll(async () => {
    const firing = 'ALERTS{alertstate="firing",alertname=~"AIGatewayKey(Exhaust.*|LimitLow)"}';
    const exprs = [verdict.expr, lasts.expr, recorded.resetSeconds.name, firing].map(everyOne);
    const queries = [
      ...TIMES.flatMap((at) => exprs.map((expr) => ({ at, expr }))),
      ...verdictStories.flatMap(({ key: { name } }) => [
        { at: COMPARED, expr: ofOne(name, verdictOfKey) },
        { at: COMPARED, expr: ofOne(name, lastsOfKey) },
        { at: FIRST_HOUR, expr: ofOne(name, spentPerHour) },
      ]),
    ];
    const answers = await answersOf(
      promtool3,
      [...verdictRuns.values()].flatMap(({ series }) => series),
      queries,
      4,
    );
    for (const [story, { key }] of verdictStories.entries()) {
      const [first, second, third] = answers.slice(TIMES.length * exprs.length + 3 * story);
      details.set(key.name, {
        verdict: verdictOfKey.text(first?.[0]?.value),
        lasts: lastsOfKey.text(second?.[0]?.value),
        firstHour: third?.[0]?.value,
      });
      const ofKey = (index: number) =>
        (answers[index] ?? []).filter(({ labels }) => labels.includes(`key="${key.name}"`));
      const found = TIMES.map((at, index): Report => {
        const value = (of: number) => ofKey(exprs.length * index + of)[0]?.value;
        return {
          at,
          verdict: verdict.text(value(0)),
          lasts: lasts.text(value(1)),
          reset: value(2) ?? Number.NaN,
          alerts: ofKey(exprs.length * index + 3).map(
            ({ labels }) => /alertname="AIGatewayKey(\w+)"/.exec(labels)?.[1] ?? "",
          ),
        };
      });
      reports.set(key.name, found);
    }
  }, 600_000);

  const reportsOn = (name: string) => reports.get(name) ?? [];

  test.each(verdictStories)("$key.name: $verdicts", ({ key, verdicts }) => {
    const early = reportsOn(key.name).filter(({ at }) => EARLY.includes(at));
    expect(early.map((report) => report.verdict)).toEqual(verdicts);
  });

  test.each(verdictStories)("the dashboard of $key.name agrees with its row", ({ key: { name } }) => {
    const { verdict: text, lasts: time } = reportsOn(name).find(({ at }) => at === COMPARED) ?? {};
    const isMissing = time === lasts.text(undefined);
    expect(details.get(name)).toMatchObject({ verdict: text, lasts: isMissing ? "not known" : time });
  });

  test.each([
    ["half-day", 4],
    ["day-lasts", 1],
    ["idle-day", 0],
    ["silenced", (1 / 60) * 8],
  ])("the first hour of %s has a bar of what was spent since the start: %s", (name, credits) => {
    const { firstHour } = details.get(name) ?? {};
    expect(Math.abs((firstHour ?? Number.NaN) - credits)).toBeLessThanOrEqual(credits / 30 + 1e-6);
  });

  describe.each(verdictStories.map((story) => ({ name: story.key.name, story })))(
    "$name",
    ({ name, story }) => {
      test("verdict, time to exhaustion and alerts agree at every time", () => {
        expect(reportsOn(name)).toHaveLength(TIMES.length);
        expect(reportsOn(name).flatMap(contradictions)).toEqual([]);
      });

      const dryAt = verdictRuns.get(name)?.exhaustedAt;

      test.runIf(story.isRegular)("is never said to last if it runs dry", () => {
        const wrong = reportsOn(name).filter(
          (report) =>
            dryAt !== undefined &&
            report.at < dryAt &&
            (/^(lasts|unlimited)$/.test(report.verdict) || /nothing/.test(report.lasts)),
        );
        expect(wrong).toEqual([]);
      });

      test.runIf(story.isRegular)("is never said to run out for certain if it does not", () => {
        const wrong = reportsOn(name).filter(
          (report) => dryAt === undefined && /^out [^(]*$/.test(report.verdict) && report.reset < 2 * DAY,
        );
        expect(wrong).toEqual([]);
      });
    },
  );
});

/** What contradicts itself in a report. */
function contradictions(report: Report): readonly string[] {
  const { verdict: text, alerts, reset } = report;
  const seconds = Number(report.lasts);
  const isWithin = (from: number, to: number) => seconds >= from && seconds <= Math.min(to, reset + 60);
  const alertsSay = (...names: readonly string[]) => names.some((name) => alerts.includes(name));
  const rules: readonly (readonly [condition: boolean, isKept: boolean, words: string])[] = [
    [alertsSay("Exhausted"), text === "exhausted", "an alert says exhausted"],
    [
      alertsSay("ExhaustionImminent", "ExhaustionPredicted"),
      text === "out within a day" || text === "exhausted",
      "an alert says out within a day",
    ],

    [alertsSay("ExhaustionSlow"), /^out within a (day|week)$/.test(text), "an alert says out within a week"],
    [
      alertsSay("LimitLow"),
      /^(out |little is left|exhausted)/.test(text),
      "an alert says that little is left",
    ],
    [text === "exhausted", seconds === 0, "exhausted is 0"],
    [
      text.startsWith("out within a day"),
      isWithin(0, DAY),
      "a day is at most 24 hours, and before the reset",
    ],
    [text.startsWith("out within a week"), isWithin(DAY, 7 * DAY), "a week is between a day and seven"],
    [
      text.startsWith("out before"),
      isWithin(7 * DAY, Infinity),
      "later is beyond a week, and before the reset",
    ],
    [
      text === "lasts",
      seconds > reset - 60 || report.lasts === "nothing is spent",
      "what lasts ends after the reset",
    ],
    [text === "lasts over a week", seconds > 7 * DAY, "over a week is more than seven days"],
    [text === "not known yet", report.lasts === "not known yet", "what is not known has no number"],
    [text === "not known yet", alerts.length === 0, "an alert knows more"],
  ];
  return rules
    .filter(([condition, isKept]) => condition && !isKept)
    .map(([, , words]) => `${words}: ${JSON.stringify(report)}`);
}
