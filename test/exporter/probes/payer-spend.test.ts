import { describe, expect, test } from "vitest";
import { keyReading } from "../../../exporter/collectors/key.ts";
import { parseKey } from "../../../exporter/gateway/wire/key.ts";
import { createPayerSpend } from "../../../exporter/probes/payer-spend.ts";
import { createSpendGuard } from "../../../exporter/probes/spend-guard.ts";
import type { Reading } from "../../../exporter/readings/reading.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createManualClock } from "../../support/clock.ts";

const NOON = Date.parse("2026-11-18T12:00:00Z");
/** The longest run takes a minute, and the gateway lags up to 90 s. */
const COMPLETE_MS = 150_000;
const EARS = targetId("key", "ears");

function setUp(...payers: readonly string[]) {
  const clock = createManualClock(NOON);
  const guard = createSpendGuard(
    () => NOON,
    () => 60_000,
  );
  const readings = new Map<TargetId, Reading>();
  const latest = (id: TargetId) => readings.get(id);
  const spend = createPayerSpend({
    clock,
    guard,
    readings: { latest },
    payers: () => payers.map((key) => ({ key, identity: `${key} at a` })),
  });
  const learn = (id: TargetId, usedToday: number | undefined, asOfMs = clock.now()) => {
    const information = parseKey({ data: { usage: 9, usage_daily: usedToday } }, "read");
    const value = keyReading(information, clock.now());
    readings.set(id, { value, askedAtMs: clock.now(), asOfMs, timeToLiveMs: 1 });
  };
  return { clock, guard, readings, spend, learn };
}

describe("createPayerSpend()", () => {
  test("knows the spend once each payer has a reading that contains all that was spent before the start", async () => {
    const { clock, guard, spend, learn } = setUp("ears", "others", "ears");
    expect([spend.missing(), spend.readableInMs()]).toEqual([["ears", "others"], COMPLETE_MS]);
    await clock.advance(COMPLETE_MS);
    learn(EARS, 0.1);
    expect([spend.missing(), spend.isKnown(), spend.readableInMs()]).toEqual([["others"], false, 0]);
    learn(targetId("key", "others"), 0.2);
    expect([spend.missing(), spend.isKnown(), guard.spent(clock.now())]).toEqual([[], true, 0.3]);
  });

  test.each([
    ["requested too early", COMPLETE_MS - 1],
    ["computed too early", COMPLETE_MS + 1000],
  ])("ignores a reading that was %s", async (_, askedAfterMs) => {
    const { clock, spend, learn } = setUp("ears");
    await clock.advance(askedAfterMs);
    learn(EARS, 0.1, NOON + COMPLETE_MS - 1);
    await clock.advance(COMPLETE_MS);
    expect([spend.isKnown(), spend.isUnreported("ears")]).toEqual([false, false]);
  });

  test("ignores the reading of another target of the same name", async () => {
    const { clock, spend, learn } = setUp("ears");
    await clock.advance(COMPLETE_MS);
    learn(targetId("probe", "ears"), 0.1);
    expect(spend.isKnown()).toBe(false);
  });

  test("a reading without today's usage leaves the spend unknown, and is reported as such", async () => {
    const { clock, spend, learn } = setUp("ears");
    await clock.advance(COMPLETE_MS);
    expect(spend.isUnreported("ears")).toBe(false);
    learn(EARS, undefined);
    expect([spend.isKnown(), spend.isUnreported("ears")]).toEqual([false, true]);
    learn(EARS, 0);
    expect([spend.isKnown(), spend.isUnreported("ears")]).toEqual([true, false]);
  });

  test("learns a key once: later readings contain what this process has spent", async () => {
    const { clock, guard, spend, learn } = setUp("ears");
    await clock.advance(COMPLETE_MS);
    learn(EARS, 0.1);
    expect(spend.isKnown()).toBe(true);
    await clock.advance(60_000);
    learn(EARS, 0.5);
    expect([spend.isKnown(), guard.spent(clock.now())]).toEqual([true, 0.1]);
  });

  test("the spend is known without payers", () => {
    expect(setUp().spend.isKnown()).toBe(true);
  });

  test("each day needs a reading of its own, which need not report the usage if the day began after the start", async () => {
    const { clock, guard, spend, learn } = setUp("ears");
    learn(EARS, 0.2);
    await clock.advanceTo(Date.parse("2026-11-19T00:01:30Z"));
    expect([spend.isKnown(), spend.readableInMs()]).toEqual([false, 0]);
    learn(EARS, undefined);
    expect([spend.isKnown(), spend.isUnreported("ears"), guard.spent(clock.now())]).toEqual([true, false, 0]);
  });
});
