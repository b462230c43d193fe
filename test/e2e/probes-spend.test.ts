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

/** The charged days, and whether each stayed within the ceiling but came close enough to need it. */
function keptDays(least: number): readonly (readonly [string, boolean])[] {
  return [...stage.charged()].map(([day, credits]) => [day, credits <= CEILING && credits >= least]);
}

/** Whether runs were often refused. */
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
    expect(stage.lines.map(({ message }) => message)).toContain(
      `Probe "one" is not run: its maximum cost would exceed the day's ceiling (probe_spend.max_cost_per_day); run it less often, or raise the ceiling`,
    );
    expect(await shown(CEILING)).toBe(CEILING);
    expect((await stage.series()).get("aigateway_probe_spend_day_limit_credits{}")).toBe(CEILING);
  });

  test("when answers are charged and never arrive", async () => {
    await startAt(NOON);
    stage.gateway.manners.change({ micros: 20_000 });
    stage.gateway.faults.add({ kind: "cut", endpoint: "transcription", key: "ears" });
    await stage.runFor(20 * MINUTE);
    expect(keptDays(CEILING)).toEqual([["2026-11-18", true]]);
  });

  test("after a restart, once the gateway reports what was spent before", async () => {
    await startAt(NOON);
    stage.gateway.manners.change({ micros: 20_000 });
    await stage.runFor(20 * MINUTE);
    await stage.restart();
    await stage.runFor(20 * MINUTE);
    expect(stage.charged().get("2026-11-18")).toBe(CEILING);
    expect(await shown(CEILING)).toBe(CEILING);
  });

  test("over midnight, when the next day begins with nothing spent", async () => {
    await startAt(MIDNIGHT - 20 * MINUTE);
    stage.gateway.manners.change({ micros: 20_000 });
    await stage.runTo(MIDNIGHT + 20 * MINUTE);
    expect(keptDays(CEILING)).toEqual([
      ["2026-11-18", true],
      ["2026-11-19", true],
    ]);
    const today = stage.charged().get("2026-11-19");
    expect(await shown(today)).toBe(today);
  });
});
