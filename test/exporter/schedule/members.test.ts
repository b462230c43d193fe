import { expect, test } from "vitest";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import type { Job, Member, MemberList } from "../../../exporter/schedule/job.ts";
import { createMembers } from "../../../exporter/schedule/members.ts";
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

function member(kind: string, hash: string, name: string): Member {
  return { id: targetId(kind, hash), name, value: undefined, samples: () => [], describe: () => [] };
}

/** The targets after several lists, all of which are younger than their time to live. */
async function after(...lists: readonly (MemberList & { job?: Job })[]): Promise<readonly string[]> {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const readings = createReadings(clock, createPacking(), () => Number.POSITIVE_INFINITY);
  const members = createMembers(readings);
  const signal = new AbortController().signal;
  for (const { job = JOB, ...list } of lists) {
    const times = { askedAtMs: clock.now(), asOfMs: clock.now(), timeToLiveMs: 60_000 };
    await members.learn(job, list, { reading: times, askedAt: clock.monotonic(), signal });
  }
  return readings.ids();
}

test.each<[MemberList["proves"], readonly string[]]>([
  ["nothing", ["listed/two", "behind/one", "listed/new"]],
  ["expired", ["listed/two", "behind/one", "listed/new"]],
  ["all", ["listed/new"]],
])(
  "a member with the name of another one of its kind replaces it in a list that proves %s",
  async (proves, ids) => {
    const before = [
      member("listed", "one", "search"),
      member("listed", "two", "batch"),
      member("behind", "one", "search"),
    ];
    const next = [member("listed", "new", "search")];
    expect(await after({ members: before, proves: "all" }, { members: next, proves })).toEqual(ids);
  },
);

test("a member with the name of one in another list replaces it, because a new secret may be in another workspace", async () => {
  const other = { ...JOB, id: targetId("discovery", "other") };
  const before = [member("listed", "one", "mine"), member("listed", "two", "batch")];
  const next = [member("listed", "new", "mine")];
  expect(
    await after({ members: before, proves: "all" }, { members: next, proves: "all", job: other }),
  ).toEqual(["listed/two", "listed/new"]);
});
