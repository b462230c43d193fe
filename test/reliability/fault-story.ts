import { expect } from "vitest";
import { textOf } from "../exporter/status/page/page-reader.ts";
import { type SeriesMap, seriesLike, seriesName } from "../support/series.ts";
import type { FaultCase } from "./fault-case.ts";
import { type FaultStage, type Values, startFaultStage, wrongValues } from "./fault-stage.ts";
import { type FaultRow, type Sight, createFaultRow } from "./fault-row.ts";
import { START, keySeries, keySeriesName, querySeries, querySeriesName } from "./right-answers.ts";

const SECOND = 1000;
/** Of both schedules of the stage. */
const INTERVAL = 60 * SECOND;
const TIME_TO_LIVE = 3 * INTERVAL;

/**
 * The first interval has no fault. Then the fault affects every poll, until the values of its targets have outlived
 * their time to live; then it ends. Each step compares everything that `/metrics` shows. The observations make the row.
 */
export async function faultStory(faultCase: FaultCase): Promise<FaultRow> {
  const stage = await startFaultStage(faultCase);
  await stage.runTo(START + INTERVAL - 10 * SECOND);
  const before = await expectShown(stage, rightFor(1));

  await stage.runTo(START + INTERVAL);
  stage.gateway.revision = 2;
  begin(faultCase, stage);
  if (faultCase.hintMs !== undefined) await expectHint(stage, faultCase.hintMs);
  await stage.runTo(START + 2 * INTERVAL);
  const failed = await expectShown(stage, duringFault(faultCase, "kept"));
  const page = textOf(await stage.page());
  const sights = SUBJECTS.map((subject) => lookAt(subject, faultCase, stage, { before, failed, page }));
  await expectWithdrawal(faultCase, stage, before);

  const { mostSentBytes } = faultCase;
  if (mostSentBytes !== undefined) {
    expect(stage.gateway.mostSentBytes()).toBeGreaterThan(1_000_000);
    expect(stage.gateway.mostSentBytes()).toBeLessThan(mostSentBytes);
  }
  await expectRecovery(faultCase, stage);
  return createFaultRow(faultCase, sights);
}

function begin({ wholeGateway, fault }: FaultCase, { gateway }: FaultStage): void {
  gateway.fault = fault;
  if (!wholeGateway) return;
  wholeGateway.begin(gateway);
  gateway.disconnect();
}

function end({ wholeGateway }: FaultCase, { gateway }: FaultStage): void {
  gateway.fault = undefined;
  wholeGateway?.end(gateway);
}

function rightFor(revision: number): Values {
  return {
    faultyKey: new Map(KEY.right(revision)).set(KEY.up, 1),
    faultyQuery: new Map(QUERY.right(revision)).set(QUERY.up, 1),
    healthyRevision: revision,
    healthyUp: true,
  };
}

/** Targets without a fault always have new values. */
function duringFault(faultCase: FaultCase, when: "kept" | "expired"): Values {
  const valuesOf = when === "kept" ? valuesAfter : valuesExpired;
  const of = (subject: Subject) =>
    new Map(valuesOf(faultCase, subject)).set(subject.up, Number("shown" in faultCase[subject.collector]));
  const ofAll = when === "kept" ? 1 : undefined;
  return {
    faultyKey: of(KEY),
    faultyQuery: of(QUERY),
    healthyRevision: faultCase.wholeGateway ? ofAll : 2,
    healthyUp: !faultCase.wholeGateway,
  };
}

async function expectShown(stage: FaultStage, wanted: Values): Promise<SeriesMap> {
  const series = await stage.seriesWith(wanted);
  expect(wrongValues(series, wanted)).toEqual([]);
  const nowSeconds = stage.clock.now() / 1000;
  for (const value of seriesLike(series, /^aigateway_analytics_data_timestamp_seconds/).values()) {
    expect(value).toBeLessThanOrEqual(nowSeconds);
  }
  return series;
}

interface Seen {
  readonly before: SeriesMap;
  readonly failed: SeriesMap;
  readonly page: string;
}

/** The observations of one side in metrics, log and page during the fault. */
function lookAt(
  subject: Subject,
  faultCase: FaultCase,
  stage: FaultStage,
  { before, failed, page }: Seen,
): Sight {
  const outcome = faultCase[subject.collector];
  const reason = "reason" in outcome ? outcome.reason : undefined;
  const reasons = [...failuresOf(subject, failed).keys()];
  expect(reasons).toEqual(reason === undefined ? [] : [reason]);
  const hasAnswered = failed.get(subject.lastSuccess) !== before.get(subject.lastSuccess);
  expect(hasAnswered).toBe(reason === undefined);
  if (subject === KEY) {
    const unauthorized = failed.get('aigateway_key_unauthorized{key="faulty"}');
    expect(unauthorized).toBe(Number(reason === "unauthorized"));
  }
  const lines = stage.logged(subject.target);
  expect(lines).toHaveLength(reason === undefined && !("isPartial" in outcome) ? 0 : 1);
  const [line] = lines;
  if (line) expect(line.fields).toMatchObject({ collector: subject.collector });
  if (line && reason !== undefined) {
    expect(line.fields).toMatchObject({ reason });
    expect(page).toContain(line.message);
  }
  const state = subject.onPage.exec(page)?.groups?.["state"] ?? "not there";
  expect(state).toBe(stateOf(faultCase, subject));
  const isKept = valuesAfter(faultCase, subject).size > 0;
  return { reason: reasons[0], isKept, state, line };
}

/** As the page has it. */
function stateOf(faultCase: FaultCase, { collector }: Subject): string {
  const outcome = faultCase[collector];
  if ("reason" in outcome) {
    const isRefused = collector === "key" && outcome.reason === "unauthorized";
    return `${isRefused ? "▲ Refused" : "✕ Failing"} ${outcome.reason}`;
  }
  const left = valuesAfter(faultCase, KEY).get(keySeriesName("limit_remaining_credits")) ?? 1;
  if (collector === "key") return left > 0 ? "● Up" : "▲ Used up";
  return outcome.isPartial ? "◆ Warning" : "● Up";
}

/** The last good values live for exactly three intervals, and nothing replaces them. */
async function expectWithdrawal(faultCase: FaultCase, stage: FaultStage, before: SeriesMap): Promise<void> {
  const asked = [...seriesLike(before, /_last_success_timestamp_seconds\{(?!query="last_month")/).values()];
  const expiries = asked.map((seconds) => seconds * SECOND + TIME_TO_LIVE);
  // An answer may be published some seconds later.
  await stage.runTo(Math.min(...expiries) - 7 * SECOND);
  await expectShown(stage, duringFault(faultCase, "kept"));
  await stage.runTo(Math.max(...expiries) + SECOND);
  const series = await expectShown(stage, duringFault(faultCase, "expired"));
  for (const subject of SUBJECTS) {
    const outcome = faultCase[subject.collector];
    if (!("reason" in outcome)) continue;
    const left = [...seriesLike(series, subject.series).keys()];
    expect(left.toSorted()).toEqual(subject.stays.toSorted());
    expect([...failuresOf(subject, series).keys()]).toEqual([outcome.reason]);
    // Logged once.
    expect(stage.logged(subject.target)).toHaveLength(1);
  }
}

async function expectRecovery(faultCase: FaultCase, stage: FaultStage): Promise<void> {
  end(faultCase, stage);
  stage.gateway.revision = 3;
  // A large answer to a request from before the end may take the first interval.
  await stage.runTo(stage.clock.now() + 2 * INTERVAL);
  await expectShown(stage, rightFor(3));
  for (const subject of SUBJECTS) {
    if (!("reason" in faultCase[subject.collector])) continue;
    expect(stage.logged(subject.target).at(-1)).toMatchObject({
      level: "info",
      message: expect.stringMatching(/ works again$/),
    });
  }
}

/** Each side sends no requests for as long as the gateway requested. */
async function expectHint(stage: FaultStage, hintMs: number): Promise<void> {
  const waiting = new Set(["key", "analytics"]);
  while (waiting.size > 0 && stage.clock.now() < START + 2 * INTERVAL) {
    await stage.runTo(stage.clock.now() + SECOND);
    const series = await stage.series();
    for (const endpoint of waiting) {
      const name = seriesName("aigateway_exporter_throttled_until_timestamp_seconds", { endpoint });
      const until = series.get(name);
      if (until === undefined) continue;
      waiting.delete(endpoint);
      const leftMs = until * SECOND - stage.clock.now();
      expect(leftMs).toBeLessThanOrEqual(hintMs);
      // The answer arrived in the previous second, and an HTTP date has no fractions.
      expect(leftMs).toBeGreaterThanOrEqual(hintMs - 2 * SECOND);
    }
  }
  expect([...waiting]).toEqual([]);
}

/** The target of a fault on one side: the key `faulty`, or the query `day`. */
interface Subject {
  readonly collector: "key" | "analytics";
  /** As the log names it. */
  readonly target: string;
  readonly up: string;
  readonly lastSuccess: string;
  /** The values of the right answer. */
  readonly right: (revision: number) => SeriesMap;
  /** All series about the target, values or not, except the forecast, which stays through silence. */
  readonly series: RegExp;
  /** The series that remain when its values are withdrawn. */
  readonly stays: readonly string[];
  /** The place of its state on the status page. */
  readonly onPage: RegExp;
}

const KEY: Subject = {
  collector: "key",
  target: "key/faulty",
  up: keySeriesName("up"),
  lastSuccess: keySeriesName("last_success_timestamp_seconds"),
  right: (revision) => keySeries("faulty", revision),
  series: /^(?!aigateway_key_(outlook|burn|exhaustion)).*key="faulty"/,
  stays: ["up", "unauthorized", "last_success_timestamp_seconds", "owner_info"].map((name) =>
    keySeriesName(name),
  ),
  onPage: /Resets Today .*?\bfaulty (?<state>● Up|▲ Used up|(?:✕ Failing|▲ Refused) \w+)/,
};

const QUERY: Subject = {
  collector: "analytics",
  target: "analytics/day",
  up: querySeriesName("up"),
  lastSuccess: querySeriesName("last_success_timestamp_seconds"),
  right: (revision) => querySeries("day", revision),
  series: /^aigateway_usage_day_|query="day"/,
  stays: ["up", "last_success_timestamp_seconds"].map((name) => querySeriesName(name)),
  onPage: /Answer Models and apps, today (?<state>● Up|◆ Warning|✕ Failing \w+)/,
};

const SUBJECTS = [KEY, QUERY] as const;

/** The counts of failed polls by reason, without reasons that never occurred. */
function failuresOf({ collector }: Subject, series: SeriesMap): ReadonlyMap<string, number> {
  const pattern = new RegExp(
    `^aigateway_exporter_poll_failures_total\\{collector="${collector}",reason="(\\w+)"`,
  );
  return new Map(
    [...seriesLike(series, pattern)]
      .filter(([, value]) => value > 0)
      .map(([name, value]) => [pattern.exec(name)?.[1] ?? "", value]),
  );
}

/** The values during the fault: the previous ones, none, or those of the unusual answer. */
function valuesAfter(faultCase: FaultCase, { collector, right }: Subject): SeriesMap {
  const outcome = faultCase[collector];
  if ("shown" in outcome) return outcome.shown(right(2));
  // A rejected request leaves no last good answer.
  return outcome.reason === "bad_request" ? new Map() : right(1);
}

/** The values after those from before the fault have expired. */
function valuesExpired(faultCase: FaultCase, { collector, right }: Subject): SeriesMap {
  const outcome = faultCase[collector];
  return "shown" in outcome ? outcome.shown(right(2)) : new Map();
}
