import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { JOB } from "../../dashboards/rules/settings.ts";
import { realAt } from "../support/fast-time.ts";
import { describeWithTools } from "../support/tools.ts";
import type { Notice } from "../support/webhook.ts";
import { teamsOfExample } from "./alertmanager-example.ts";
import { type AlertsStage, DASHBOARDS, RUNBOOKS, startAlertsStage } from "./alerts-stage.ts";
import { type AlertsStory, DOWN, IMMINENT, tellAlertsStory } from "./alerts-story.ts";

const EXAMPLE_FILE = join(import.meta.dirname, "../../examples/alertmanager.yaml");
const EXAMPLE = readFileSync(EXAMPLE_FILE, "utf8");
const [TEAM = "", OTHER_TEAM = ""] = teamsOfExample(EXAMPLE);

const PREDICTED = "AIGatewayKeyExhaustionPredicted";
const EXHAUSTED = "AIGatewayKeyExhausted";
const STALE = "AIGatewayKeyDataStale";

/** The rules have an hourly rate before it matters. */
const START = Date.parse("2026-11-18T20:15:00Z");
const RUN_AWAY = Date.parse("2026-11-18T21:20:00Z");
const MIDNIGHT = Date.parse("2026-11-19T00:00:00Z");
const HOUR = 3_600_000;

/** An hour takes half a minute; in a second there are two polls and two evaluations. */
const SPEED = 120;

/** Spends 16 credits an hour of 20 a day, which are used up by half past ten. The calls continue although they are refused. */
const RUNAWAY = "billing";
/** A key of the same team whose credits last for more than a day. */
const STEADY = "invoices";
/** A key of another team, used up within a quarter of an hour and never reset. */
const DRY = "prototype";

/** Two evaluations. */
const SETTLED_MS = 120_000 / SPEED;

const KEYS = [
  { name: RUNAWAY, team: TEAM, limitMicros: 20_000_000, limitReset: "daily" },
  { name: STEADY, team: TEAM, limitMicros: 20_000_000, limitReset: "daily" },
  { name: DRY, team: OTHER_TEAM, limitMicros: 2_000_000, limitReset: null },
] as const;

const SPENDINGS = [
  { key: RUNAWAY, creditsPerHour: 16, from: RUN_AWAY, to: MIDNIGHT - HOUR / 2 },
  { key: STEADY, creditsPerHour: 0.5, from: START, to: MIDNIGHT + HOUR },
  { key: DRY, creditsPerHour: 8, from: RUN_AWAY, to: MIDNIGHT - HOUR / 2 },
];

// An evening on which keys are exhausted, the midnight that resets them, and the end of the exporter.
describeWithTools(["prometheus3", "alertmanager"], "alerts, from the gateway to the receivers", (tools) => {
  let stage: AlertsStage;
  let story: AlertsStory;

  beforeAll(async () => {
    stage = await startAlertsStage({
      prometheusBinary: tools.prometheus3,
      alertmanagerBinary: tools.alertmanager,
      alertmanagerConfig: EXAMPLE,
      startAt: "2026-11-18T20:15:00Z",
      speed: SPEED,
      keys: KEYS,
    });
    story = await tellAlertsStory(stage, { runaway: RUNAWAY, spendings: SPENDINGS, midnight: MIDNIGHT });
  }, 235_000);

  afterAll(() => stage?.stop());

  function noticesOf(key: string): readonly Notice[] {
    return story.notices.filter(({ labels }) => labels["key"] === key);
  }

  /** The time of the first notification. */
  function first(alertname: string, key: string | undefined, status: Notice["status"] = "firing"): Notice {
    const found = story.notices.find(
      (notice) =>
        notice.status === status && notice.labels["alertname"] === alertname && notice.labels["key"] === key,
    );
    if (!found) throw new Error(`Cannot find a notice that ${alertname} of ${key} is ${status}`);
    return found;
  }

  /** When every component knows the inhibiting alert; a notification may be in progress at that moment. */
  function settledAfter(notice: Notice): number {
    return notice.receivedAt + stage.example.groupIntervalMs;
  }

  /** `alertname key` of the alerts that fired in Prometheus within a time, sorted. */
  function firingBetween(from: number, to: number): readonly string[] {
    const within = story.firing.filter(({ points }) => points.some(({ at }) => at > from && at < to));
    return [...new Set(within.map(({ labels }) => `${labels["alertname"]} ${labels["key"]}`))].toSorted();
  }

  test("a runaway key fires the prediction and the page before the first refusal", () => {
    const starts = [PREDICTED, IMMINENT].map((alertname) => first(alertname, RUNAWAY).startsAt);
    const refusedAt = story.refusedAt.get(RUNAWAY) ?? Number.NaN;
    const times = [realAt(stage.time, RUN_AWAY), ...starts, refusedAt, story.midnightAt];
    const distances = times.slice(1).map((time, index) => time - (times[index] ?? Number.NaN));
    expect(distances.filter((ms) => !(ms > 0))).toEqual([]);
  });

  test.each([
    [
      PREDICTED,
      "warning",
      /^Key billing: 1\d\.\d\d of 20\.00 credits left, out in [\dhm ]+, resets in [\dhm ]+$/,
      /^Key billing \(team payments\) runs out of credits within a day and before its limit resets/,
    ],
    [
      IMMINENT,
      "critical",
      /^Key billing: \d+\.\d\d of 20\.00 credits left, out in \d+m, resets in [\dhm ]+$/,
      /^Key billing \(team payments\) runs out of credits within the hour and before its limit resets/,
    ],
  ])("%s arrives with labels, text and links", (alertname, severity, summary, description) => {
    const { labels, annotations } = first(alertname, RUNAWAY);
    expect(labels).toEqual({ alertname, severity, job: JOB, key: RUNAWAY, team: TEAM });
    expect(annotations).toEqual({
      summary: expect.stringMatching(summary),
      description: expect.stringMatching(description),
      runbook_url: `${RUNBOOKS}#${alertname.toLowerCase()}`,
      dashboard_url: `${DASHBOARDS}/aigateway-key?var-job=${JOB}&var-key=${RUNAWAY}`,
    });
  });

  test("the page stays while the key is exhausted, and its text shows that", () => {
    expect(story.pageWhenExhausted["summary"]).toMatch(
      /^Key billing: -?0\.\d\d of 20\.00 credits left, resets in [\dhm ]+$/,
    );
    expect(firingBetween(0, story.midnightAt)).not.toContain(`${EXHAUSTED} ${RUNAWAY}`);
  });

  test("while the page fires, no prediction is sent, although that alert still fires", () => {
    const [from, to] = [settledAfter(first(IMMINENT, RUNAWAY)), story.midnightAt];
    const told = noticesOf(RUNAWAY).filter(({ receivedAt }) => receivedAt > from && receivedAt < to);
    expect(new Set(told.map(({ labels }) => labels["alertname"]))).toEqual(new Set([IMMINENT]));
    const silenced = [PREDICTED];
    expect(firingBetween(from, to)).toEqual(
      expect.arrayContaining(silenced.map((alertname) => `${alertname} ${RUNAWAY}`)),
    );
    expect(new Set(story.suppressed.map(({ labels }) => labels["alertname"]))).toEqual(new Set(silenced));
    expect(story.suppressed.filter(({ status }) => status.inhibitedBy.length === 0)).toEqual([]);
  });

  test("the alert resolves after the reset and stays silent", () => {
    const resolved = first(IMMINENT, RUNAWAY, "resolved");
    expect(resolved.endsAt).toBeGreaterThan(story.midnightAt);
    expect(story.remainingAfterReset.get(RUNAWAY)).toBe(20);
    // No alert of the previous window fires for the new one, inhibited or not.
    const [from, to] = [resolved.endsAt + SETTLED_MS, story.exporterEndedAt];
    expect(firingBetween(from, to).filter((name) => name.endsWith(RUNAWAY))).toEqual([]);
    const later = noticesOf(RUNAWAY).filter(({ receivedAt }) => receivedAt > from && receivedAt < to);
    expect(later.filter(({ status }) => status !== "resolved")).toEqual([]);
  });

  test("every notified alert resolves, even one that was inhibited in between", () => {
    const over = [PREDICTED, IMMINENT].map((alertname) => first(alertname, RUNAWAY, "resolved").endsAt);
    expect(over.filter((endsAt) => endsAt < story.midnightAt)).toEqual([]);
  });

  test("a key with enough credits is monitored and causes no notification", () => {
    const remaining = story.remainingAfterReset.get(STEADY);
    expect(remaining).toBeGreaterThan(19);
    expect(remaining).toBeLessThan(20);
    expect(noticesOf(STEADY)).toEqual([]);
    const keysFiring = firingBetween(0, story.exporterEndedAt)
      .filter((name) => !name.startsWith(DOWN))
      .map((name) => name.split(" ")[1]);
    expect(new Set(keysFiring)).toEqual(new Set([RUNAWAY, DRY]));
  });

  test("each team is notified of its own keys only, and no team about the exporter", () => {
    const teams = [...stage.example.receiversOfTeam];
    const teamOf = (wanted: string) => teams.find(([, receivers]) => receivers.includes(wanted))?.[0];
    const astray = story.notices.filter(({ receiver, labels }) => teamOf(receiver) !== labels["team"]);
    expect(astray).toEqual([]);
    const told = new Set(story.notices.map(({ labels }) => labels["team"]));
    expect(told).toEqual(new Set([TEAM, OTHER_TEAM, undefined]));
  });

  test("after the exporter has ended, only its own alert is sent, although keys are exhausted and stale", () => {
    const down = first(DOWN, undefined);
    expect(down.labels).toEqual({ alertname: DOWN, severity: "critical", job: JOB });
    expect(down.startsAt).toBeGreaterThan(story.exporterEndedAt);
    const from = settledAfter(down);
    const told = story.notices.filter(({ receivedAt }) => receivedAt > from);
    expect(new Set(told.map(({ labels }) => labels["alertname"]))).toEqual(new Set([DOWN]));
    const stale = KEYS.map(({ name }) => `${STALE} ${name}`);
    // The notification of the exhausted key remains, however few minutes have passed.
    const [predicted, ...pages] = [PREDICTED, IMMINENT, EXHAUSTED].map((alertname) => `${alertname} ${DRY}`);
    const names = firingBetween(from, story.endedAt).filter((name) => name !== predicted);
    expect(pages.filter((name) => names.includes(name))).toHaveLength(1);
    expect(names.filter((name) => !pages.includes(name))).toEqual([`${DOWN} undefined`, ...stale].toSorted());
  });
});
