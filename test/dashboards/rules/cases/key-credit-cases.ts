import { keyFamilies } from "../../../../exporter/collectors/key-families.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import type { InputSeries } from "../input-series.ts";
import { firing, lasting, silent, type Story } from "../story.ts";
import {
  type AlertCase,
  CASE_MINUTES,
  casesOf,
  type Course,
  exposed,
  forecastOfKey,
  since,
  type Target,
} from "./alert-case.ts";

const of = casesOf("AIGatewayKey", "key", { team: "payments" });
const [critical, warning, info] = ["critical", "warning", "info"];

/** Announced as imminent at minute 60, exhausted from minute 100 on. */
const announced: Course = {
  outlook: (minute) => (minute < 60 ? "lasts" : minute < 100 ? "imminent" : "exhausted"),
  isAnnounced: (minute) => minute >= 60,
};

/** Alerts on what is left of a limit. */
export const keyCreditCases: readonly AlertCase[] = [
  of("Exhausted", critical, "sudden", "is exhausted and was not announced", key("sudden", "exhausted"), 62),
  of("Exhausted", critical, "told", "is exhausted and was announced", watched("told", announced)),
  of("ExhaustionImminent", critical, "told", "is about to run out", watched("told", announced), 62),
  of("ExhaustionPredicted", warning, "told", "goes with the page", watched("told", announced), 62),
  of(
    "ExhaustionImminent",
    critical,
    "sudden",
    "is exhausted and was not announced",
    key("sudden", "exhausted"),
  ),
  of("ExhaustionPredicted", warning, "soon", "runs out within a day", key("soon", "predicted"), 62),
  of("ExhaustionImminent", critical, "soon", "runs out within a day", key("soon", "predicted")),
  of("ExhaustionSlow", warning, "later", "runs out within a week", key("later", "slow"), 62),
  of(
    "Exhaust.*",
    critical,
    "bound",
    "what it shares is about to run out, which has an alert of its own",
    watched("bound", { ...announced, isBoundByOthers: () => true }),
  ),
  of(
    "ExhaustionImminent",
    critical,
    "free",
    "what it shares lasts longer",
    watched("free", { ...announced, isBoundByOthers: (minute) => minute < 55 }),
    62,
  ),
  of("ExhaustionSlow", warning, "soon", "has a more urgent alert", key("soon", "predicted")),
  ...(["lasts", "unlimited", "learning", "unknown"] as const).map((outlook) =>
    of("Exhaust.*", critical, outlook, `its outlook is ${outlook}`, key(outlook, outlook)),
  ),
  of("LimitLow", info, "little", "another alert says when it runs out", left("little", "slow", 9.9)),
  of(
    "LimitLow",
    info,
    "fresh",
    "less than a tenth is left, nothing else is known",
    left("fresh", "learning", 9.9),
    75,
  ),
  of("LimitLow", info, "enough", "a tenth is left", left("enough", "learning", 10)),
  of("LimitLow", info, "tight", "less than a tenth is left, which lasts", left("tight", "lasts", 9.9)),
  of("LimitLow", info, "empty", "nothing is left", left("empty", "exhausted", 0)),
];

/** What a single minute does not show: how alerts end, and whose word counts. */
export const keyCreditStories: readonly Story[] = [
  {
    title: "AIGatewayKeyExhaustionImminent ends with the reset",
    subject: "key=reset",
    series: watched("reset", {
      outlook: (minute) => (minute < 60 ? "imminent" : "lasts"),
      isAnnounced: (minute) => minute < 60,
    }),
    expect: [
      lasting("key=reset", "AIGatewayKeyExhaustionImminent", 5, 59),
      silent("key=reset", "AIGatewayKey.+", 63, CASE_MINUTES - 1),
    ],
  },
  {
    title: "a gap of twenty minutes between two scrapes ends no alert, a longer one does",
    subject: "key=gap",
    series: watched("gap", {
      outlook: (minute) => ((minute > 60 && minute < 80) || minute > 120 ? null : "imminent"),
      isAnnounced: () => true,
    }),
    expect: [
      lasting("key=gap", "AIGatewayKeyExhaustionImminent", 5, 140),
      silent("key=gap", "AIGatewayKeyExhaustion.+", 150, CASE_MINUTES - 1),
    ],
  },
  {
    title: "the more urgent word of two replicas counts",
    subject: "key=twice",
    series: [
      ...watched("twice", since(0, "lasts")),
      ...watched("twice", since(0, "imminent"), { instance: "b:9853" }),
    ],
    expect: [
      firing("key=twice", 60, "AIGatewayKey.+", [
        page("twice"),
        page("twice", "ExhaustionPredicted", warning),
      ]),
    ],
  },
  {
    title: "a key with two owners, as during a rollout, fires for both",
    subject: "key=moving",
    series: [
      ...watched("moving", since(0, "exhausted")),
      ...forecastOfKey("moving", since(0, "exhausted"), { instance: "b:9853", team: "search" }),
    ],
    expect: [
      firing(
        "key=moving",
        60,
        "AIGatewayKey.+",
        ["payments", "search"].map((team) => ({ ...page("moving", "Exhausted"), team })),
      ),
    ],
  },
  {
    title:
      "two gateways with a key of the same name: each alert names the gateway, and neither hides the other's",
    subject: "key=shared",
    series: [
      ...watched("shared", since(0, "exhausted"), { gateway: "first" }),
      ...watched("shared", since(0, "slow"), { gateway: "second" }),
    ],
    expect: [
      firing("key=shared", 60, "AIGatewayKey.+", [
        { ...page("shared", "Exhausted"), gateway: "first" },
        { ...page("shared", "ExhaustionSlow", warning), gateway: "second" },
      ]),
    ],
  },
];

function page(name: string, alert = "ExhaustionImminent", severity = critical) {
  return { alertname: `AIGatewayKey${alert}`, job: JOB, key: name, severity, team: "payments" };
}

function key(name: string, outlook: Parameters<typeof since>[1]): readonly InputSeries[] {
  return watched(name, since(60, outlook));
}

function left(name: string, outlook: Parameters<typeof since>[1], credits: number): readonly InputSeries[] {
  return [
    ...watched(name, { ...since(60, outlook), isLow: credits < 10 }),
    exposed(keyFamilies.limit, { key: name }, () => 100),
    exposed(keyFamilies.remaining, { key: name }, () => credits),
  ];
}

function watched(name: string, course: Course, target: Target = {}): readonly InputSeries[] {
  return forecastOfKey(name, course, target);
}
