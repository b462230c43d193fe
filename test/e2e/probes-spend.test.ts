import { afterEach, describe, expect, test } from "vitest";
import type { SeriesMap } from "../support/series.ts";
import { type ProbeBench, startProbeBench } from "./probe-bench.ts";

const MINUTE = 60_000;
const NOON = Date.parse("2026-11-18T12:00:00Z");
const MIDNIGHT = Date.parse("2026-11-19T00:00:00Z");
const CEILING = 0.3;

let bench: ProbeBench;

afterEach(async () => {
  await bench.stop();
});

/** Three probes of two keys, due at the same time, and a gateway whose answers about keys lag a minute (observed-behaviour 14). */
async function startAt(start: number): Promise<void> {
  const common = { model: "acme/ear", schedule: "1m", timeout: "1s" };
  bench = await startProbeBench({
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

/** The days that were charged, and whether the charge of each is at most the ceiling but high enough to need a guard. */
function keptDays(least: number): readonly (readonly [string, boolean])[] {
  return [...bench.charged()].map(([day, credits]) => [day, credits <= CEILING && credits >= least]);
}

/** Whether the guard has skipped at least that many runs. */
async function skipsAre(least: number): Promise<boolean> {
  const enough = (map: SeriesMap) =>
    (map.get('aigateway_probe_skipped_total{probe="one",reason="spend_limit"}') ?? 0) >= least;
  return enough(await bench.seriesWhen(enough));
}

/** The spend that is shown, once it is the wanted one. */
async function shown(wanted: number | undefined): Promise<number | undefined> {
  const name = "aigateway_probe_spend_day_credits{}";
  return (await bench.seriesWhen((map) => map.get(name) === wanted)).get(name);
}

describe("the spend of a day never exceeds the ceiling", () => {
  test("at known costs, the last of which reaches it exactly", async () => {
    await startAt(NOON);
    bench.gateway.manners.change({ micros: 20_000 });
    await bench.runFor(20 * MINUTE);
    expect(bench.charged().get("2026-11-18")).toBe(CEILING);
    expect(await skipsAre(3)).toBe(true);
    expect(await shown(CEILING)).toBe(CEILING);
    expect((await bench.series()).get("aigateway_probe_spend_day_limit_credits{}")).toBe(CEILING);
  });

  test("when no answer contains its cost", async () => {
    await startAt(NOON);
    bench.gateway.manners.change({ usage: false, micros: 15_000 });
    await bench.runFor(20 * MINUTE);
    // 15 runs of at most 0.02 each.
    expect(bench.charged().get("2026-11-18")).toBe(0.225);
    expect(await skipsAre(3)).toBe(true);
  });

  test("when requests are charged but not answered", async () => {
    await startAt(NOON);
    bench.gateway.manners.change({ micros: 20_000 });
    bench.gateway.faults.add({ kind: "cut", endpoint: "transcription", key: "ears" });
    await bench.runFor(20 * MINUTE);
    expect(keptDays(CEILING)).toEqual([["2026-11-18", true]]);
  });

  test("across restarts, although the gateway reports the spend a minute late", async () => {
    await startAt(NOON);
    bench.gateway.manners.change({ micros: 20_000 });
    for (let restarts = 0; restarts < 6; restarts++) {
      await bench.runFor(3 * MINUTE + 5000);
      await bench.restart();
    }
    await bench.runFor(20 * MINUTE);
    expect(bench.charged().get("2026-11-18")).toBe(CEILING);
    expect(await shown(CEILING)).toBe(CEILING);
  });

  test("while the spend of the day cannot be read, and nothing is spent at all", async () => {
    await startAt(NOON);
    const fault = bench.gateway.faults.add({ kind: "status", status: 500, endpoint: "key", key: "others" });
    await bench.runFor(15 * MINUTE);
    expect(bench.charged()).toEqual(new Map());
    expect(await shown(undefined)).toBeUndefined();
    fault.clear();
    await bench.runFor(5 * MINUTE);
    expect(bench.charged().get("2026-11-18")).toBeGreaterThan(0);
  });

  test("over midnight, when the next day starts with no spend", async () => {
    await startAt(MIDNIGHT - 20 * MINUTE);
    bench.gateway.manners.change({ micros: 20_000 });
    await bench.runTo(MIDNIGHT + 20 * MINUTE);
    expect(keptDays(CEILING - 0.02)).toEqual([
      ["2026-11-18", true],
      ["2026-11-19", true],
    ]);
    const today = bench.charged().get("2026-11-19");
    expect(await shown(today)).toBe(today);
  });

  test("over midnight, with runs that span it and a gateway that charges them on either day", async () => {
    await startAt(MIDNIGHT - 4 * MINUTE);
    bench.answerAfter(7000);
    bench.gateway.manners.change({ micros: 20_000 });
    await bench.runTo(MIDNIGHT + 30 * MINUTE);
    expect(keptDays(0.02)).toEqual([
      ["2026-11-18", true],
      ["2026-11-19", true],
    ]);
    expect(await skipsAre(3)).toBe(true);
  });

  test("with a restart right before and right after midnight", async () => {
    await startAt(MIDNIGHT - 12 * MINUTE);
    bench.gateway.manners.change({ micros: 20_000 });
    await bench.runTo(MIDNIGHT - 2000);
    await bench.restart();
    await bench.runTo(MIDNIGHT + 4 * MINUTE);
    await bench.restart();
    await bench.runTo(MIDNIGHT + 30 * MINUTE);
    expect(keptDays(CEILING - 0.02)).toEqual([
      ["2026-11-18", true],
      ["2026-11-19", true],
    ]);
  });
});
