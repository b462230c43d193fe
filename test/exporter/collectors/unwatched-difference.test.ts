import { expect, test } from "vitest";
import { type AccountTotal, createTotalsMemory } from "../../../exporter/collectors/unwatched-difference.ts";
import { watchedKeys } from "../../../exporter/keys/watched-keys.ts";
import { Secret } from "../../../exporter/secrets/secret.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { type Window, windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";
import { testConfig, testKey } from "../../support/test-config.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const MINUTE = 60_000;

test("a gateway whose clock is behind makes no total older than it is", () => {
  const memory = createTotalsMemory(createManualClock(NOON));
  memory.add({ ...totalAt(NOON, windowAt("day", NOON)), asOfMs: NOON - 10 * MINUTE });
  expect(memory.until(windowAt("day", NOON), NOON - MINUTE)).toBeUndefined();
  expect(memory.until(windowAt("day", NOON), NOON)).toBeDefined();
});

test.each([-10 * MINUTE, 10 * MINUTE])(
  "totals from before a step of the clock by %i ms are forgotten",
  (step) => {
    const clock = createManualClock(NOON);
    const memory = createTotalsMemory(clock);
    memory.use("account");
    memory.add(totalAt(NOON - MINUTE, windowAt("day", NOON)));
    memory.use("account");
    expect(memory.until(windowAt("day", NOON), NOON)).toBeDefined();
    clock.set(NOON + step);
    memory.use("account");
    expect(memory.until(windowAt("day", NOON), NOON)).toBeUndefined();
  },
);

test("the spend of a key that a reload removed is not unwatched before the next list", () => {
  const keyOf = (name: string, digit: string) =>
    testKey(name, {
      secret: { origin: name, read: () => new Secret(`sk-${name}-0123456789`), hash: () => hash(digit) },
    });
  // The list was read while both keys were configured, so it has the spend of neither.
  const readings = {
    ids: () => [targetId("listed", hash("a")), targetId("listed", hash("b"))],
    status: () => undefined,
    latest: () => undefined,
    isCurrent: () => true,
  };
  const both = watchedKeys(testConfig({ keys: [keyOf("a", "a"), keyOf("b", "b")] }), readings);
  expect(both?.targets).toEqual([targetId("key", "a"), targetId("key", "b")]);
  const one = watchedKeys(testConfig({ keys: [keyOf("a", "a")] }), readings);
  expect(one?.targets).toEqual([targetId("key", "a"), targetId("listed", hash("b"))]);
});

test("the spend of a secret with two names is subtracted once, whichever shard polls them", () => {
  const keyOf = (name: string) =>
    testKey(name, {
      secret: { origin: name, read: () => new Secret("sk-same-0123456789"), hash: () => hash("a") },
    });
  const [one, also] = [keyOf("one"), keyOf("also")];
  const readings = {
    ids: () => [targetId("listed", hash("a")), targetId("listed", `${hash("a")}/also`)],
    status: () => undefined,
    latest: () => undefined,
    isCurrent: () => true,
  };
  const here = watchedKeys(testConfig({ keys: [one, also] }), readings);
  expect(here?.targets).toEqual([targetId("key", "one")]);
  const part = { ordinal: 0, total: 2, elsewhere: [also] };
  expect(watchedKeys(testConfig({ keys: [one], part }), readings)?.targets).toEqual(here?.targets);
  const elsewhere = watchedKeys(testConfig({ part: { ...part, elsewhere: [one, also] } }), readings);
  expect(elsewhere?.targets).toEqual([targetId("listed", hash("a"))]);
  expect(elsewhere?.hashes).toEqual(new Map([[hash("a"), "one"]]));
});

function totalAt(requestedAtMs: number, window: Window): AccountTotal {
  return { window, requestedAtMs, asOfMs: requestedAtMs, credits: 1 };
}

function hash(digit: string): string {
  return digit.repeat(64);
}
