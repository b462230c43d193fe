import { createRules } from "../../../dashboards/rules/index.ts";
import { describeWithTools } from "../../support/tools.ts";
import { modelOf, type SimulatedProbe, simulateProbe, TEAM } from "./simulated-probe.ts";
import { firing, silent } from "./story.ts";
import { type Tale, tell } from "./tell.ts";

const HOUR = 60;
const DAY = 24 * HOUR;
const MINUTES = 6 * DAY;
/** From here on the probes are otherwise. */
const CHANGE = 4 * DAY;
const ALERTS = "AIGatewayProbe(Slow|QualityDropped)";

/** Probes that are run every hour take two seconds and hear one of eleven words wrong for four days. */
const weeks: readonly Tale[] = [
  changed("slow", { seconds: 4.4 }, "ProbeSlow", "more than twice as long"),
  changed("slower", { seconds: 3.9 }, "", "not quite twice as long is silent"),
  changed("worse", { wordErrors: 3 / 11 }, "ProbeQualityDropped", "two more words of eleven are wrong"),
  changed("other", { wordErrors: 2 / 11 }, "", "one more word of eleven is silent"),
  weekly("short", "twice as long, but of half a second, is silent", {
    answer: (minute) => ({ seconds: minute < CHANGE ? 0.5 : 1.2, wordErrors: 0 }),
  }),
  weekly("lone", "one slow run of every three is silent", {
    answer: (minute) => ({ seconds: minute > CHANGE && minute % 180 === 0 ? 50 : 2, wordErrors: 0 }),
  }),
  weekly("failed", "runs without an answer are no slow ones", {
    answer: (minute) => (minute < CHANGE ? { seconds: 2, wordErrors: 0 } : undefined),
  }),
  weekly("young", "a probe that changes when it is six hours old is silent", {
    runs: every(HOUR).filter((minute) => minute >= CHANGE - 6 * HOUR),
    answer: (minute) => ({ seconds: minute < CHANGE ? 2 : 20, wordErrors: minute < CHANGE ? 0 : 1 }),
  }),
  weekly("seldom", "a probe that is run every six hours is silent", {
    runs: every(6 * HOUR),
    intervalMinutes: 6 * HOUR,
    answer: (minute) => ({ seconds: minute < CHANGE ? 2 : 20, wordErrors: minute < CHANGE ? 0 : 1 }),
  }),
];

/** The other groups cost minutes and say nothing of probes. */
const groups = createRules().filter(({ name }) =>
  ["aigateway-key-inputs", "aigateway-probes"].includes(name),
);

describeWithTools(["promtool3"], "probes against their own week", ({ promtool3 }) =>
  tell(promtool3, weeks, 4, groups),
);
describeWithTools(["promtool2"], "probes against their own week", ({ promtool2 }) =>
  tell(promtool2, weeks, 4, groups),
);

/** Half of six hours after the change, and ten minutes, it fires; the days before are still what is usual two days later. */
function changed(
  name: string,
  change: { readonly seconds?: number; readonly wordErrors?: number },
  alert: string,
  title: string,
): Tale {
  const usual = { seconds: 2, wordErrors: 1 / 11 };
  const tale = weekly(name, title, {
    answer: (minute) => (minute < CHANGE ? usual : { ...usual, ...change }),
  });
  if (alert === "") return tale;
  const labels = { alertname: `AIGateway${alert}`, job: "aigateway-exporter", severity: "warning" };
  const expected = { ...labels, probe: name, key: name, model: modelOf(name), team: TEAM };
  return {
    ...tale,
    expect: [
      silent(tale.subject, ALERTS, 0, CHANGE + 3 * HOUR),
      firing(tale.subject, CHANGE + 3 * HOUR + 20, ALERTS, [expected]),
      firing(tale.subject, MINUTES - 1, ALERTS, [expected]),
    ],
  };
}

function weekly(name: string, title: string, behaviour: Partial<SimulatedProbe>): Tale {
  const probe = { name, runs: every(HOUR), answer: () => undefined, ...behaviour };
  const subject = `probe=${name}`;
  return {
    title: `${subject}: ${title}`,
    subject,
    series: simulateProbe(probe, MINUTES),
    expect: [silent(subject, ALERTS, 0, MINUTES - 1)],
  };
}

function every(minutes: number): readonly number[] {
  return Array.from({ length: MINUTES / minutes }, (_, index) => index * minutes);
}
