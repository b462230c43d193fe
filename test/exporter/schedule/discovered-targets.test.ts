import { expect, test } from "vitest";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import type { DiscoveredTarget, Discovery, Job } from "../../../exporter/schedule/job.ts";
import { createDiscoveredTargets } from "../../../exporter/schedule/discovered-targets.ts";
import { createManualClock } from "../../support/clock.ts";

const JOB: Job = {
  id: targetId("discovery", "default"),
  title: "the list",
  name: "default",
  endpoint: "account",
  requests: 1,
  minIntervalMs: 0,
  identity: "account",
  fingerprint: "",
  constants: [],
  run: () => Promise.reject(new Error("Not run")),
  describe: () => [],
};

function target(kind: string, hash: string, name: string): DiscoveredTarget {
  return { id: targetId(kind, hash), name, value: undefined, samples: () => [], describe: () => [] };
}

/** The targets after several lists, all of which are younger than their time to live. */
async function after(...lists: readonly (Discovery & { job?: Job })[]): Promise<readonly string[]> {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const readings = createReadings(clock, createPacking(), () => Number.POSITIVE_INFINITY);
  const discovered = createDiscoveredTargets(readings);
  const signal = new AbortController().signal;
  for (const { job = JOB, ...list } of lists) {
    const times = { requestedAtMs: clock.now(), asOfMs: clock.now(), timeToLiveMs: 60_000 };
    await discovered.store(job, list, { reading: times, requestedAt: clock.monotonic(), signal });
  }
  return readings.ids();
}

test.each<[Discovery["proves"], readonly string[]]>([
  ["nothing", ["listed/two", "behind/one", "listed/new"]],
  ["expired", ["listed/two", "behind/one", "listed/new"]],
  ["all", ["listed/new"]],
])(
  "a discovered target with the name of another one of its kind replaces it in a list that proves %s",
  async (proves, ids) => {
    const before = [
      target("listed", "one", "search"),
      target("listed", "two", "batch"),
      target("behind", "one", "search"),
    ];
    const next = [target("listed", "new", "search")];
    expect(await after({ targets: before, proves: "all" }, { targets: next, proves })).toEqual(ids);
  },
);

test("a discovered target with the name of one in another list replaces it, because a new secret may be in another workspace", async () => {
  const other = { ...JOB, id: targetId("discovery", "other") };
  const before = [target("listed", "one", "mine"), target("listed", "two", "batch")];
  const next = [target("listed", "new", "mine")];
  expect(
    await after({ targets: before, proves: "all" }, { targets: next, proves: "all", job: other }),
  ).toEqual(["listed/two", "listed/new"]);
});
