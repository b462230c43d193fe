import { describe, expect, test } from "vitest";
import type { Endpoint, PermitPurpose } from "../../../exporter/gateway/port.ts";
import { createDispatcher, type JobSource, type Release } from "../../../exporter/schedule/dispatcher.ts";
import { createManualClock } from "../../support/clock.ts";

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
  const dispatcher = createDispatcher(clock, limits);
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

  test("limits each endpoint by itself, and 0 is unlimited", async () => {
    const { clock, add, served } = setUp({ analyticsPerMinute: 60 });
    add("key", "a", "b", "c");
    add("analytics", "d", "e");
    await clock.advance(1000);
    expect(served).toEqual([
      ["a", 0],
      ["b", 0],
      ["c", 0],
      ["d", 0],
      ["e", 1000],
    ]);
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

  test("connections that become free together do not cause a burst", async () => {
    const { clock, add, release, times } = setUp({ perMinute: 600, connections: 3 });
    add("key", ...TEN);
    await clock.advance(5000);
    expect(times()).toEqual([0, 100, 200]);
    for (const name of TEN.slice(0, 3)) release(name);
    await clock.advance(300);
    expect(times().slice(3)).toEqual([5000, 5000, 5100]);
  });

  test("timers that fire a little late do not lower the rate", async () => {
    const { clock, add, times } = setUp({ perMinute: 6000, connections: 200 });
    add("key", ...Array.from({ length: 101 }, (_, index) => `${index}`));
    while (times().length < 101) {
      await clock.jump(clock.now() + 13);
      await clock.advance(0);
    }
    expect(times().at(-1)).toBeLessThanOrEqual(1013);
  });

  test("setLimits() applies to waiting jobs", async () => {
    const { clock, dispatcher, add, times, limits } = setUp({ perMinute: 1, connections: 1 });
    add("key", "a", "b", "c");
    dispatcher.setLimits({ ...limits, connections: 2 });
    await clock.advance(1000);
    expect(times()).toEqual([0]);
    dispatcher.setLimits({ perMinute: { ...limits.perMinute, key: 60 }, connections: 3 });
    expect(times()).toEqual([0, 1000]);
    await clock.advance(1000);
    expect(times()).toEqual([0, 1000, 2000]);
  });
});

describe("createDispatcher(), the connections", () => {
  test("never more requests than connections are in progress, and a permit returned twice counts once", () => {
    const { add, names, release } = setUp({ connections: 2 });
    add("key", "a", "b", "c", "d", "e");
    expect(names()).toEqual(["a", "b"]);
    release("a");
    release("a");
    expect(names()).toEqual(["a", "b", "c"]);
    release("b");
    release("c");
    expect(names()).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("a lower number of connections takes effect as requests end", () => {
    const { dispatcher, add, names, release, limits } = setUp({ connections: 3 });
    add("key", ...TEN);
    dispatcher.setLimits({ ...limits, connections: 1 });
    release("job 0");
    release("job 1");
    expect(names()).toHaveLength(3);
    release("job 2");
    expect(names()).toHaveLength(4);
  });

  test("endpoints take turns, so that a long queue does not hold up the others", () => {
    const { add, names, release } = setUp({ connections: 1 });
    add("key", "k1", "k2", "k3", "k4");
    add("analytics", "a1", "a2");
    add("transcription", "t1");
    for (const _ of TEN) release(names().at(-1) ?? "");
    expect(names()).toEqual(["k1", "a1", "t1", "k2", "a2", "k3", "k4"]);
  });

  test("an endpoint that waits for its rate does not hold up the others", async () => {
    const { clock, add, names, release } = setUp({ perMinute: 1, connections: 1 });
    add("key", "k1", "k2");
    add("analytics", "a1", "a2");
    release("k1");
    release("a1");
    expect(names()).toEqual(["k1", "a1", "a2"]);
    release("a2");
    await clock.advance(60_000);
    expect(names()).toEqual(["k1", "a1", "a2", "k2"]);
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

  test("a retry continues while the next job may not begin yet", async () => {
    const { clock, addDue, further, names } = setUp();
    addDue("key", "paused", 60_000);
    await further("key", "retry", "retry");
    await clock.advance(60_000);
    expect(names()).toEqual(["retry", "paused"]);
  });

  test("hold() begins no more jobs, but further requests continue; serve() begins the waiting jobs", async () => {
    const { dispatcher, jobs, add, further, names } = setUp();
    dispatcher.hold();
    add("key", "a");
    await further("key", "retry", "retry");
    expect(names()).toEqual(["retry"]);
    dispatcher.serve(jobs);
    expect(names()).toEqual(["retry", "a"]);
  });

  test("hold() leaves no timer that keeps the process alive", async () => {
    const { clock, dispatcher, add, addDue } = setUp({ perMinute: 1 });
    add("key", "a", "b");
    addDue("analytics", "paused", 300_000);
    expect(clock.pending()).toHaveLength(2);
    dispatcher.hold();
    expect(clock.pending()).toEqual([]);
  });

  test("an aborted wait ends at once and uses neither the rate nor a connection", async () => {
    const { clock, add, further, served, release } = setUp({ perMinute: 60, connections: 1 });
    const aborter = new AbortController();
    add("key", "a");
    const aborted = [1, 2].map((each) => further("key", `waiting ${each}`, "request", aborter.signal));
    const settled = Promise.allSettled(aborted);
    aborter.abort(new Error("Enough"));
    expect((await settled).map((each) => each.status === "rejected" && String(each.reason))).toEqual([
      "Error: Enough",
      "Error: Enough",
    ]);
    await expect(further("key", "late", "request", aborter.signal)).rejects.toThrow("Enough");
    expect(clock.pending()).toEqual([]);
    add("key", "b");
    release("a");
    await clock.advance(1000);
    expect(served).toEqual([
      ["a", 0],
      ["b", 1000],
    ]);
  });

  test("an aborted wait for the rate leaves no timer", async () => {
    const { clock, add, further } = setUp({ perMinute: 1 });
    const aborter = new AbortController();
    add("key", "a");
    const aborted = further("key", "b", "request", aborter.signal);
    expect(clock.pending()).toHaveLength(1);
    aborter.abort(new Error("Enough"));
    await expect(aborted).rejects.toThrow("Enough");
    expect(clock.pending()).toEqual([]);
  });
});
