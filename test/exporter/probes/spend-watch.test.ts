import { describe, expect, test } from "vitest";
import { createSpendWatch } from "../../../exporter/probes/spend-watch.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRecordingLog } from "../../support/log.ts";

const SECOND = 1000;

function setUp() {
  const clock = createManualClock();
  const { log, lines } = createRecordingLog();
  const state = {
    readableAtMs: clock.now() + 100 * SECOND,
    missing: ["ears", "others"],
    unreported: new Set<string>(),
    ready: new Array<TargetId>(),
  };
  const asked: string[] = [];
  const probes = {
    payerSpend: {
      missing: () => state.missing,
      isKnown: () => state.missing.length === 0,
      readableInMs: () => state.readableAtMs - clock.now(),
      isUnreported: (key: string) => state.unreported.has(key),
    },
    takeReady: () => state.ready.splice(0),
  };
  const startedAt = clock.monotonic();
  const watch = createSpendWatch({
    clock,
    log,
    probes,
    ask: (id) => void asked.push(`${id} after ${(clock.monotonic() - startedAt) / SECOND} s`),
  });
  return { clock, lines, state, asked, watch };
}

describe("createSpendWatch()", () => {
  test("asks for the missing keys when they can be read, and again every 60 s until nothing is missing", async () => {
    const { clock, state, asked, watch } = setUp();
    watch.start();
    await clock.advance(130 * SECOND);
    expect(asked.splice(0)).toEqual(["key/ears after 100 s", "key/others after 100 s"]);
    state.missing = ["others"];
    await clock.advance(90 * SECOND);
    expect(asked.splice(0)).toEqual(["key/others after 160 s", "key/others after 220 s"]);
    state.missing = [];
    await clock.advance(600 * SECOND);
    expect(asked).toEqual([]);
  });

  test("notices within 30 s that the wall clock was stepped forward", async () => {
    const { clock, state, asked, watch } = setUp();
    state.missing = ["ears"];
    watch.start();
    clock.set(clock.now() + 3600 * SECOND);
    await clock.advance(30 * SECOND);
    expect(asked).toEqual(["key/ears after 30 s"]);
  });

  test("asks for a payer that is added later", async () => {
    const { clock, state, asked, watch } = setUp();
    state.missing = [];
    watch.start();
    await clock.advance(100 * SECOND);
    state.missing = ["new"];
    await clock.advance(30 * SECOND);
    expect(asked).toEqual(["key/new after 130 s"]);
  });

  test("asks for the probes that were postponed as soon as the readings have changed, or within 30 s", async () => {
    const { clock, state, asked, watch } = setUp();
    state.missing = [];
    watch.start();
    state.ready.push(targetId("probe", "a"));
    watch.readingsChanged();
    expect(asked.splice(0)).toEqual(["probe/a after 0 s"]);
    watch.readingsChanged();
    state.ready.push(targetId("probe", "b"));
    await clock.advance(30 * SECOND);
    expect(asked).toEqual(["probe/b after 30 s"]);
  });

  test("logs a key whose usage is not reported once, and again after the spend was known", async () => {
    const { clock, state, lines, watch } = setUp();
    state.missing = ["ears"];
    state.unreported.add("ears");
    watch.start();
    await clock.advance(220 * SECOND);
    expect(lines.map(({ level }) => level)).toEqual(["warn", "debug", "debug"]);
    expect(lines[0]).toMatchObject({
      fields: { key: "ears" },
      message: `Probes wait until the spend of the day is known: the gateway does not report today's usage of key "ears"`,
    });
    state.missing = [];
    await clock.advance(60 * SECOND);
    state.missing = ["ears"];
    await clock.advance(60 * SECOND);
    expect(lines.at(-1)?.level).toBe("warn");
  });

  test("asks for nothing after stop()", async () => {
    const { clock, asked, watch } = setUp();
    watch.start();
    watch.stop();
    await clock.advance(600 * SECOND);
    expect(asked).toEqual([]);
    expect(clock.pending()).toEqual([]);
  });
});
