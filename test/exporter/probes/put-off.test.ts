import { expect, test } from "vitest";
import { keyReading } from "../../../exporter/collectors/key.ts";
import { parseKey } from "../../../exporter/gateway/wire/key.ts";
import { createSelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import { createProbes } from "../../../exporter/probes/probes.ts";
import type { Reading } from "../../../exporter/readings/reading.ts";
import { testConfig } from "../../support/test-config.ts";
import { createManualClock } from "../../support/clock.ts";
import { silentLog } from "../../support/log.ts";
import { MINUTE, probe, probing, probeTarget } from "./probe-bench.ts";
import { NO_ANSWERS } from "../../support/fake-client.ts";

/** Probes that were due before the spend of the day is known. */
async function putOff(...names: readonly string[]) {
  const clock = createManualClock();
  let latest: Reading | undefined;
  const readings = { latest: () => latest };
  const probes = createProbes({
    clock,
    log: silentLog,
    events: { report() {} },
    registry: createSelfRegistry(clock),
    readings,
  });
  const configure = (...configured: readonly string[]) =>
    probes.configure(testConfig({ probing: probing(...configured.map((name) => probe(name))) }));
  for (const { jobs } of configure(...names)) for (const job of jobs) await job.run(NO_ANSWERS, clock.now());
  const makeKnown = async () => {
    await clock.advance(5 * MINUTE);
    const information = parseKey({ data: { usage: 0, usage_daily: 0 } }, "read");
    const times = { askedAtMs: clock.now(), asOfMs: clock.now(), timeToLiveMs: MINUTE };
    latest = { value: keyReading(information, clock.now()), ...times };
  };
  return { probes, configure, makeKnown };
}

test("takeReady() returns each postponed probe once, when the spend is known", async () => {
  const { probes, makeKnown } = await putOff("a", "b");
  expect(probes.takeReady()).toEqual([]);
  await makeKnown();
  expect(probes.takeReady()).toEqual([probeTarget("a"), probeTarget("b")]);
  expect(probes.takeReady()).toEqual([]);
});

test("takeReady() returns no probe that is gone, even if it came back", async () => {
  const { probes, configure, makeKnown } = await putOff("a", "b");
  configure("b");
  configure("a", "b");
  await makeKnown();
  expect(probes.takeReady()).toEqual([probeTarget("b")]);
});

test("takeReady() returns nothing after all probes were removed", async () => {
  const { probes, configure, makeKnown } = await putOff("a");
  probes.configure(testConfig({ probing: undefined }));
  configure("a");
  await makeKnown();
  expect(probes.takeReady()).toEqual([]);
});
