import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Endpoint, PermitPurpose, Permit } from "../../../exporter/gateway/port.ts";
import {
  type JobSource,
  type Release,
  createDispatcher,
  createRunPermits,
} from "../../../exporter/schedule/dispatcher.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRunQueue } from "../../../exporter/schedule/run-queue.ts";
import { PausedError } from "../../../exporter/gateway/errors.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createThrottling } from "../../../exporter/schedule/throttling.ts";

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

/** Permits of runs that begin as soon as `connections` allow it. */
function setUpPermits(connections: number, perMinute = 0) {
  const clock = createManualClock();
  const limits = { key: perMinute, analytics: 0, account: 0, transcription: 0 };
  const throttling = createThrottling(clock, () => ({ maxPauseMs: 300_000, perMinute: limits }));
  const dispatcher = createDispatcher(clock, {
    perMinute: (endpoint) => limits[endpoint],
    connections: () => connections,
  });
  const queue: ((release: Release) => void)[] = [];
  dispatcher.serve({
    openAt: (endpoint) => (endpoint === "key" && queue.length > 0 ? clock.monotonic() : undefined),
    begin: (_, release) => queue.shift()?.(release),
  });
  const begin = (id: TargetId) =>
    new Promise<ReturnType<typeof createRunPermits>>((resolve) => {
      const dependencies = { clock, dispatcher, throttling };
      queue.push((release) => resolve(createRunPermits("key", id, { release, lastsMs: 100 }, dependencies)));
      dispatcher.wake();
    });
  /** Number of permits that are available at once. */
  const countFree = async () => {
    let count = 0;
    const aborter = new AbortController();
    const taken = Array.from({ length: connections + 1 }, () =>
      dispatcher.further("key", aborter.signal, "request").then(() => count++),
    );
    await clock.advance(60_000);
    aborter.abort(new Error("Counted"));
    await Promise.allSettled(taken);
    return count;
  };
  return { clock, throttling, begin, countFree };
}

const GOOD = { answered: true, throttled: false };

describe("createRunPermits()", () => {
  test("refuses further requests of a target that must rest, without taking a permit", async () => {
    const { begin, countFree } = setUpPermits(1);
    const permits = await begin("key/a");
    const permit = await permits.next(NEVER, "request");
    permit.release({ answered: true, throttled: true, retryAfterMs: 10_000 });
    await expect(permits.next(NEVER, "retry")).rejects.toThrow(PausedError);
    expect(await countFree()).toBe(1);
  });

  test("the outcome of an aborted run does not count", async () => {
    const { begin, throttling } = setUpPermits(1);
    const permits = await begin("key/a");
    const aborter = new AbortController();
    const permit = await permits.next(aborter.signal, "request");
    aborter.abort(new Error("Another secret"));
    permit.release({ answered: true, throttled: true, retryAfterMs: 10_000 });
    expect(throttling.restMs("key/a")).toBe(0);
  });

  test("no permit is lost or granted twice, for any sequence of runs", async () => {
    const request = fc.record({
      ms: fc.nat(30),
      end: fc.constantFrom("good", "failed", "throttled", "twice" as const),
    });
    const run = fc.record({
      startMs: fc.nat(50),
      requests: fc.array(request, { maxLength: 3 }),
      abortMs: fc.option(fc.nat(100), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(run, { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (runs, connections) => {
          const { clock, begin, countFree } = setUpPermits(connections);
          let underWay = 0;
          const all = runs.map(async ({ startMs, requests, abortMs }, index) => {
            const aborter = new AbortController();
            if (abortMs !== undefined) clock.after(abortMs, () => aborter.abort(new Error("Aborted")));
            await clock.sleep(startMs);
            const permits = await begin(targetId("key", `${index}`));
            try {
              for (const { ms, end } of requests) {
                const permit: Permit = await permits.next(aborter.signal, "request");
                expect(++underWay).toBeLessThanOrEqual(connections);
                await clock.sleep(ms);
                underWay--;
                permit.release({ answered: end !== "failed", throttled: end === "throttled" });
                if (end === "twice") permit.release(GOOD);
                if (end === "failed") throw new Error("Failed");
              }
            } finally {
              permits.close();
            }
          });
          const settled = Promise.allSettled(all);
          await clock.advance(2000);
          expect(await Promise.race([settled, Promise.resolve("hangs")])).not.toBe("hangs");
          const defects = (await settled).filter(
            (each) => each.status === "rejected" && !/Aborted|Failed|asked to wait/.test(String(each.reason)),
          );
          expect(defects).toEqual([]);
          expect(await countFree()).toBe(connections);
        },
      ),
      { numRuns: 60 },
    );
  });
});
