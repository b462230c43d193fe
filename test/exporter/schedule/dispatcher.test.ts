import { describe, expect, test } from "vitest";
import type { Endpoint, PermitPurpose } from "../../../exporter/gateway/port.ts";
import { type JobSource, type Release, createDispatcher } from "../../../exporter/schedule/dispatcher.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRunQueue } from "../../../exporter/schedule/run-queue.ts";

interface Waiting {
  readonly name: string;
  readonly dueAt: number;
}

/** A dispatcher over queues of named jobs; records everything that gets a permit, with the time. */
function setUp({ perMinute = 0, analyticsPerMinute = 0, connections = 64 } = {}) {
  const clock = createManualClock();
  const limits = {
    perMinute: { key: perMinute, analytics: analyticsPerMinute, account: 0, transcription: 0 },
    connections,
  };
  const dispatcher = createDispatcher(clock, {
    perMinute: (endpoint) => limits.perMinute[endpoint],
    connections: () => limits.connections,
  });
  const queues: Record<Endpoint, Waiting[]> = { key: [], analytics: [], account: [], transcription: [] };
  const served: [string, number][] = [];
  const releases = new Map<string, Release>();
  const jobs: JobSource = {
    openAt: (endpoint) => queues[endpoint][0]?.dueAt,
    begin: (endpoint, release) => enter(queues[endpoint].shift()?.name ?? "nobody", release),
  };
  dispatcher.serve(jobs);

  function enter(name: string, release: Release): void {
    served.push([name, clock.monotonic()]);
    releases.set(name, release);
  }

  return {
    clock,
    dispatcher,
    jobs,
    served,
    limits,
    names: () => served.map(([name]) => name),
    times: () => served.map(([, at]) => at),
    release: (name: string) => releases.get(name)?.(),
    add: (endpoint: Endpoint, ...names: string[]) => {
      queues[endpoint].push(...names.map((name) => ({ name, dueAt: clock.monotonic() })));
      dispatcher.wake();
    },
    addDue: (endpoint: Endpoint, name: string, dueAt: number) => {
      queues[endpoint].push({ name, dueAt });
      dispatcher.wake();
    },
    further: (endpoint: Endpoint, name: string, purpose: PermitPurpose = "request", signal = NEVER) =>
      dispatcher.further(endpoint, signal, purpose).then((release) => enter(name, release)),
  };
}

const NEVER = new AbortController().signal;
const TEN = Array.from({ length: 10 }, (_, index) => `job ${index}`);

describe("createDispatcher(), the rate", () => {
  test("spaces the jobs of an endpoint evenly, and begins no burst after an idle time", async () => {
    const { clock, add, times } = setUp({ perMinute: 600 });
    add("key", "a", "b", "c");
    await clock.advance(10_000);
    add("key", "d", "e");
    await clock.advance(10_000);
    expect(times()).toEqual([0, 100, 200, 10_000, 10_100]);
    expect(clock.pending()).toEqual([]);
  });

  test("a suspended process continues at the configured rate, in the order of the queue", async () => {
    const { clock, add, names, times } = setUp({ perMinute: 600 });
    add("key", ...TEN);
    await clock.advance(200);
    await clock.jump(clock.now() + 60_000);
    await clock.advance(1000);
    expect(names()).toEqual(TEN);
    // One late request, and one that makes up for 100 ms.
    expect(times().slice(3)).toEqual([60_200, 60_200, 60_300, 60_400, 60_500, 60_600, 60_700]);
  });
});

describe("createDispatcher(), the connections", () => {
  test("endpoints take turns, so that a long queue does not hold up the others", () => {
    const { add, names, release } = setUp({ connections: 1 });
    add("key", "k1", "k2", "k3", "k4");
    add("analytics", "a1", "a2");
    add("transcription", "t1");
    for (const _ of TEN) release(names().at(-1) ?? "");
    expect(names()).toEqual(["k1", "a1", "t1", "k2", "a2", "k3", "k4"]);
  });
});

describe("createDispatcher(), further requests", () => {
  test("a further request comes before the jobs that wait", async () => {
    const { add, further, names, release } = setUp({ connections: 1 });
    add("key", "a", "b");
    const second = further("key", "a, second request");
    release("a");
    await second;
    release("a, second request");
    expect(names()).toEqual(["a", "a, second request", "b"]);
  });

  test("a retry waits like the jobs, in the order of time", async () => {
    const { clock, add, further, names, release } = setUp({ connections: 1 });
    add("key", "a", "b");
    await clock.advance(10);
    const retry = further("key", "a, retry", "retry");
    await clock.advance(10);
    add("key", "c");
    release("a");
    release("b");
    await retry;
    release("a, retry");
    expect(names()).toEqual(["a", "b", "a, retry", "c"]);
  });
});

test("the job that is most overdue in relation to its interval comes first", () => {
  const queue = createRunQueue();
  /** A group's name contains its interval. */
  const next = (now: number) => queue.next(now, (group) => Number(group.split(" ")[1]))?.id;
  queue.add("analytics/hourly", 0, "analytics 1000");
  queue.add("analytics/often", 50, "analytics 100");
  expect(next(100)).toBe("analytics/often");
  queue.remove("analytics/often");
  queue.add("analytics/often", 990, "analytics 100");
  expect(next(1000)).toBe("analytics/hourly");
});
