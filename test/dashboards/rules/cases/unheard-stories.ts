import { discoveryFamilies } from "../../../../exporter/collectors/discovery-families.ts";
import type { Series } from "../../../../dashboards/promql.ts";
import { recorded } from "../../../../dashboards/rules/series.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import type { InputSeries } from "../input-series.ts";
import { simulateKey } from "../simulated-key.ts";
import { type Expectation, firing, lasting, silent, type Story } from "../story.ts";
import { CASE_MINUTES, exposed } from "./alert-case.ts";

const CREDITS = "AIGatewayKey(Exhaust.*|LimitLow)";
const PREDICTED = "AIGatewayKeyExhaustionPredicted";
const IMMINENT = "AIGatewayKeyExhaustionImminent";
/** The last answer; later, all values are withdrawn. */
const LAST = 90;
/** Half an hour later. */
const UNHEARD = LAST + 30;
const END = CASE_MINUTES - 1;

/** 100 credits at 60 an hour are used up at minute 100, ten minutes after the last answer. */
const sixty = { limit: 100, spend: () => 1 };
/** 200 credits at the same rate are used up at minute 200: predicted, but not imminent. */
const hours = { limit: 200, spend: () => 1 };

/** What keeps a firing alert while the gateway does not answer, and what ends it all the same. */
export const unheardStories: readonly Story[] = [
  story("unheard-page", "a page lasts while the gateway does not answer", sixty, [
    lasting("key=unheard-page", IMMINENT, 65, END),
    firing("key=unheard-page", END, "AIGatewayKeyDataStale", [alert("unheard-page", "DataStale")]),
  ]),
  story("unheard-dry", "the alert of an exhausted key lasts while the gateway does not answer", atOnce(), [
    lasting("key=unheard-dry", "AIGatewayKeyExhausted", 70, END),
    silent("key=unheard-dry", "AIGatewayKey(Exhaustion.*|LimitLow)", 0, END),
  ]),
  story("unheard-warning", "a warning lasts while the gateway does not answer", hours, [
    lasting("key=unheard-warning", PREDICTED, 85, END),
    silent("key=unheard-warning", "AIGatewayKey(Exhausted|ExhaustionImminent)", 0, END),
  ]),
  story(
    "unheard-calm",
    "no alert begins while the gateway does not answer",
    { limit: 1000, spend: () => 1 },
    [silent("key=unheard-calm", CREDITS, 0, END)],
  ),
  story(
    "unheard-answered",
    "an answer that contradicts the page ends it",
    {
      ...sixty,
      // Nothing is spent after the last answer, and the next one comes two hours later.
      spend: (minute) => (minute < LAST ? 1 : 0),
      answers: (minute) => minute <= LAST || minute >= 210,
    },
    [lasting("key=unheard-answered", IMMINENT, 65, 208), silent("key=unheard-answered", IMMINENT, 212, END)],
  ),
  story(
    "unheard-raised",
    "an answer with a higher limit ends the page",
    {
      ...sixty,
      limit: (minute) => (minute < 210 ? 100 : 5000),
      answers: (minute) => minute <= LAST || minute >= 210,
    },
    [lasting("key=unheard-raised", IMMINENT, 65, 208), silent("key=unheard-raised", CREDITS, 212, END)],
  ),
  ended(
    "unheard-removed",
    "the removal of the key ends its alerts and what is remembered of them",
    { ...sixty, scraped: { "a:9853": (minute) => minute <= LAST } },
    [gone(recorded.alertEnd, "unheard-removed"), gone(recorded.alertLimit, "unheard-removed")],
  ),
  ended("unheard-refused", "an answer that refuses the key ends its alerts", {
    ...sixty,
    refused: (minute) => minute > LAST,
  }),
  story(
    "unheard-disabled",
    "a list that shows the key as disabled ends its alerts",
    sixty,
    [
      lasting("key=unheard-disabled", IMMINENT, 65, LAST + 60),
      silent("key=unheard-disabled", CREDITS, LAST + 63, END),
    ],
    [
      exposed(discoveryFamilies.disabled, { key: "unheard-disabled" }, (minute) =>
        Number(minute > LAST + 60),
      ),
    ],
  ),
  story(
    "unheard-unlimited",
    "an answer without a limit ends the page",
    {
      ...sixty,
      limit: (minute) => (minute < 95 ? 100 : null),
      answers: () => true,
    },
    [silent("key=unheard-unlimited", CREDITS, 95 + 30, END)],
  ),
];

type Behaviour = Partial<Omit<Parameters<typeof simulateKey>[0], "name" | "team">> &
  Pick<Parameters<typeof simulateKey>[0], "limit" | "spend">;

function answers(minute: number): boolean {
  return minute <= LAST;
}

function story(
  key: string,
  title: string,
  behaviour: Behaviour,
  expect: Story["expect"],
  more: readonly InputSeries[] = [],
): Story {
  const { series } = simulateKey(
    { name: key, team: "payments", reset: "daily", answers, ...behaviour },
    CASE_MINUTES,
  );
  return { title, subject: `key=${key}`, series: [...series, ...more], expect };
}

/** The page fires at the last answer, and has ended half an hour later. */
function ended(key: string, title: string, behaviour: Behaviour, more: Story["expect"] = []): Story {
  const page = { ...alert(key, "ExhaustionImminent"), severity: "critical" };
  const expect = [firing(`key=${key}`, LAST, IMMINENT, [page]), silent(`key=${key}`, CREDITS, UNHEARD, END)];
  return story(key, title, behaviour, [...expect, ...more]);
}

function gone(series: Series, key: string): Expectation {
  return { at: END, expr: `${series.name}{key="${key}"}`, samples: [] };
}

/** Used up within three minutes, too fast for an announcement. */
function atOnce(): Behaviour {
  return { limit: 100, spend: (minute) => (minute >= 60 && minute < 63 ? 35 : 0) };
}

function alert(key: string, name: string): Readonly<Record<string, string>> {
  return { alertname: `AIGatewayKey${name}`, job: JOB, key, team: "payments", severity: "warning" };
}
