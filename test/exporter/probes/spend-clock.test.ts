import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decimalSum } from "../../../exporter/metrics/decimal-sum.ts";
import { ANSWER, createProbeBench, MINUTE, probe, probing } from "./probe-bench.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const CEILING = probing().ceilingCredits;
/** Real time. The clock of the exporter is wrong by an offset. */
const NOON = Date.parse("2026-11-18T12:00:00Z");

interface Step {
  readonly hours: number;
  /** How wrong the clock is from then on, milliseconds. */
  readonly offsetMs: number;
  readonly event: "step" | "restart" | "reload" | "none";
}

/**
 * The books of a gateway whose clock is right: every run costs 0.1, and the usage of the day lags a minute. Returns what each
 * day was charged, and the number of runs.
 */
async function chargesOf(offsetMs: number, steps: readonly Step[], everyMs = 7 * MINUTE) {
  const schedule = { kind: "interval", ms: everyMs } as const;
  const charges: { readonly atMs: number; readonly cost: number }[] = [];
  let realMs = NOON;
  let offset = offsetMs;
  let since = 0;
  let bench = begin();
  const nowReal = () => realMs + bench.clock.monotonic() - since;

  function begin() {
    const next = createProbeBench(probing(probe("a", { schedule })), {
      start: new Date(realMs + offset).toISOString(),
    });
    since = next.clock.monotonic();
    next.script.transcribe = () => {
      charges.push({ atMs: nowReal(), cost: 0.1 });
      return { ...ANSWER, usage: { cost: 0.1 } };
    };
    next.script.readKey = () => {
      const asOfMs = nowReal() - MINUTE;
      const today = charges.filter(({ atMs }) => atMs <= asOfMs && dayOf(atMs) === dayOf(asOfMs));
      return { data: { usage: 9, usage_daily: decimalSum(today.map(({ cost }) => cost)) } };
    };
    next.start();
    return next;
  }

  for (const { hours, offsetMs: nextOffset, event } of steps) {
    await bench.clock.advance(hours * HOUR);
    if (event === "reload") await bench.apply(probing(probe("a", { schedule, maxWordErrorRate: hours })));
    if (event === "step") {
      bench.clock.set(bench.clock.now() + nextOffset - offset);
      offset = nextOffset;
    }
    if (event === "restart") {
      await bench.stop();
      realMs = nowReal();
      offset = nextOffset;
      bench = begin();
    }
  }
  await bench.stop();
  const days = Map.groupBy(charges, ({ atMs }) => dayOf(atMs)).values();
  return [...days].map((day) => decimalSum(day.map(({ cost }) => cost)));
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY);
}

describe("probes: no real day is charged beyond the ceiling", () => {
  test.each<[string, number, readonly Step[]]>([
    ["with a right clock", 0, [wait(72)]],
    ["three hours behind, stepped over midnight", -3 * HOUR, [wait(13), step(0), wait(30)]],
    ["three hours behind, stepped before midnight", -3 * HOUR, [wait(11), step(0), wait(30)]],
    ["three hours ahead, stepped back over midnight", 3 * HOUR, [wait(10), step(0), wait(30)]],
    ["always three hours behind", -3 * HOUR, [wait(96)]],
    ["always three hours ahead", 3 * HOUR, [wait(96)]],
    ["a day behind, corrected in two steps", -DAY, [wait(5), step(-12 * HOUR), wait(5), step(0), wait(48)]],
    ["stepped to and fro around midnight", 0, [wait(11), step(2 * HOUR), wait(0.2), step(0), wait(30)]],
    ["restarted with another clock", -3 * HOUR, [wait(13), restart(0), wait(30)]],
  ])("%s", async (_, offsetMs, steps) => {
    const charges = await chargesOf(offsetMs, steps);
    expect(Math.max(...charges)).toBeLessThanOrEqual(CEILING);
    // The guard does not stop the probes altogether.
    expect(decimalSum(charges)).toBeGreaterThanOrEqual(CEILING);
  });

  test.each<[string, number, readonly Step[]]>([
    ["behind, stepped over midnight", -3 * HOUR, [wait(13), step(0), wait(30)]],
    ["ahead, stepped back over midnight", 3 * HOUR, [wait(10), step(0), wait(30)]],
    ["behind, never stepped", -3 * HOUR, [wait(96)]],
    ["ahead, never stepped", 3 * HOUR, [wait(96)]],
  ])("with a run every four hours: three hours %s", async (_, offsetMs, steps) => {
    const charges = await chargesOf(offsetMs, steps, 4 * HOUR);
    expect(Math.max(...charges)).toBeLessThanOrEqual(CEILING);
    expect(decimalSum(charges)).toBeGreaterThanOrEqual(CEILING);
  });

  test("in any story of steps, restarts and reloads", async () => {
    const story = fc.array(
      fc.record<Step>({
        hours: fc.integer({ min: 0, max: 40 }).map((half) => half / 2),
        offsetMs: fc
          .oneof(fc.integer({ min: -30, max: 30 }), fc.integer({ min: -200, max: 200 }))
          .map((n) => n * 360_000),
        event: fc.constantFrom("step", "restart", "reload", "none"),
      }),
      { minLength: 1, maxLength: 8 },
    );
    const hours = fc.integer({ min: -20, max: 20 });
    const minutes = fc.constantFrom(7, 60, 240);
    const property = fc.asyncProperty(hours, story, minutes, async (behind, steps, every) => {
      const charges = await chargesOf(behind * HOUR, steps, every * MINUTE);
      expect(Math.max(0, ...charges)).toBeLessThanOrEqual(CEILING);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

function wait(hours: number): Step {
  return { hours, offsetMs: 0, event: "none" };
}

function step(offsetMs: number): Step {
  return { hours: 0, offsetMs, event: "step" };
}

function restart(offsetMs: number): Step {
  return { hours: 0, offsetMs, event: "restart" };
}
