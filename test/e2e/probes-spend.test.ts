import { afterEach, describe, expect, test } from "vitest";
import type { SeriesMap } from "../support/series.ts";
import { type ProbeStage, startProbeStage } from "./probe-stage.ts";

const MINUTE = 60_000;
const NOON = Date.parse("2026-11-18T12:00:00Z");
const MIDNIGHT = Date.parse("2026-11-19T00:00:00Z");
const CEILING = 0.3;

let stage: ProbeStage;

afterEach(async () => {
  await stage.stop();
});

/** Three probes of two keys, due at the same time, and a gateway whose GET /key lags a minute (observed-behaviour 14). */
async function startAt(start: number): Promise<void> {
  const common = { model: "acme/ear", schedule: "1m", timeout: "1s" };
  stage = await startProbeStage({
    start,
    probes: [
      { ...common, name: "one", key: "ears" },
      { ...common, name: "two", key: "ears", upload: "multipart" },
      { ...common, name: "three", key: "others", schedule: "2m" },
    ],
    maxCostPerDay: CEILING,
    maxCostPerProbe: 0.02,
    switches: { lagMs: MINUTE },
  });
}

/** The charged days, and whether each stayed within the ceiling but came close enough to need the guard. */
function keptDays(least: number): readonly (readonly [string, boolean])[] {
  return [...stage.charged()].map(([day, credits]) => [day, credits <= CEILING && credits >= least]);
}

/** Whether the guard refused runs often. */
async function skipsAre(least: number): Promise<boolean> {
  const enough = (map: SeriesMap) =>
    (map.get('aigateway_probe_skipped_total{probe="one",reason="spend_limit"}') ?? 0) >= least;
  return enough(await stage.seriesWhen(enough));
}

/** The shown spend, after it has reached the expected value. */
async function shown(wanted: number | undefined): Promise<number | undefined> {
  const name = "aigateway_probe_spend_day_credits{}";
  return (await stage.seriesWhen((map) => map.get(name) === wanted)).get(name);
}

describe("the spend of a day is never above the ceiling", () => {
  test("with known costs, the last of which reaches it exactly", async () => {
    await startAt(NOON);
    stage.gateway.manners.change({ micros: 20_000 });
    await stage.runFor(20 * MINUTE);
    expect(stage.charged().get("2026-11-18")).toBe(CEILING);
    expect(await skipsAre(3)).toBe(true);
    expect(await shown(CEILING)).toBe(CEILING);
    expect((await stage.series()).get("aigateway_probe_spend_day_limit_credits{}")).toBe(CEILING);
  });

  test("if no answer contains a cost", async () => {
    await startAt(NOON);
    stage.gateway.manners.change({ usage: false, micros: 15_000 });
    await stage.runFor(20 * MINUTE);
    // 15 runs of at most 0.02 each.
    expect(stage.charged().get("2026-11-18")).toBe(0.225);
    expect(await skipsAre(3)).toBe(true);
  });

  test("when answers are charged and never arrive", async () => {
    await startAt(NOON);
    stage.gateway.manners.change({ micros: 20_000 });
    stage.gateway.faults.add({ kind: "cut", endpoint: "transcription", key: "ears" });
    await stage.runFor(20 * MINUTE);
    expect(keptDays(CEILING)).toEqual([["2026-11-18", true]]);
  });

  test("across restarts, although the gateway reports a spend a minute late", async () => {
    await startAt(NOON);
    stage.gateway.manners.change({ micros: 20_000 });
    for (let restarts = 0; restarts < 6; restarts++) {
      await stage.runFor(3 * MINUTE + 5000);
      await stage.restart();
    }
    await stage.runFor(20 * MINUTE);
    expect(stage.charged().get("2026-11-18")).toBe(CEILING);
    expect(await shown(CEILING)).toBe(CEILING);
  });

  test("nothing is spent while the spend of the day is unreadable", async () => {
    await startAt(NOON);
    const fault = stage.gateway.faults.add({ kind: "status", status: 500, endpoint: "key", key: "others" });
    await stage.runFor(15 * MINUTE);
    expect(stage.charged()).toEqual(new Map());
    expect(await shown(undefined)).toBeUndefined();
    fault.clear();
    await stage.runFor(5 * MINUTE);
    expect(stage.charged().get("2026-11-18")).toBeGreaterThan(0);
  });

  test("over midnight, when the next day begins with nothing spent", async () => {
    await startAt(MIDNIGHT - 20 * MINUTE);
    stage.gateway.manners.change({ micros: 20_000 });
    await stage.runTo(MIDNIGHT + 20 * MINUTE);
    expect(keptDays(CEILING - 0.02)).toEqual([
      ["2026-11-18", true],
      ["2026-11-19", true],
    ]);
    const today = stage.charged().get("2026-11-19");
    expect(await shown(today)).toBe(today);
  });

  test("over midnight with runs that span it, and a gateway that charges them on either day", async () => {
    await startAt(MIDNIGHT - 4 * MINUTE);
    stage.answerAfter(7000);
    stage.gateway.manners.change({ micros: 20_000 });
    await stage.runTo(MIDNIGHT + 30 * MINUTE);
    expect(keptDays(0.02)).toEqual([
      ["2026-11-18", true],
      ["2026-11-19", true],
    ]);
    expect(await skipsAre(3)).toBe(true);
  });

  test("with a restart right before and right after midnight", async () => {
    await startAt(MIDNIGHT - 12 * MINUTE);
    stage.gateway.manners.change({ micros: 20_000 });
    await stage.runTo(MIDNIGHT - 2000);
    await stage.restart();
    await stage.runTo(MIDNIGHT + 4 * MINUTE);
    await stage.restart();
    await stage.runTo(MIDNIGHT + 30 * MINUTE);
    expect(keptDays(CEILING - 0.02)).toEqual([
      ["2026-11-18", true],
      ["2026-11-19", true],
    ]);
  });
});
