import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PausedError } from "../../../exporter/gateway/errors.ts";
import type { Permit } from "../../../exporter/gateway/port.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createDispatcher, type Release, createRunPermits } from "../../../exporter/schedule/dispatcher.ts";
import { createThrottling } from "../../../exporter/schedule/throttling.ts";
import { createManualClock } from "../../support/clock.ts";

/** Permits of runs that begin as soon as `connections` allow it. */
function setUp(connections: number, perMinute = 0) {
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

const NEVER = new AbortController().signal;
const GOOD = { answered: true, throttled: false };

describe("createRunPermits()", () => {
  test("refuses further requests of a target that must rest, without taking a permit", async () => {
    const { begin, countFree } = setUp(1);
    const permits = await begin("key/a");
    const permit = await permits.next(NEVER, "request");
    permit.release({ answered: true, throttled: true, retryAfterMs: 10_000 });
    await expect(permits.next(NEVER, "retry")).rejects.toThrow(PausedError);
    expect(await countFree()).toBe(1);
  });

  test("the outcome of an aborted run does not count", async () => {
    const { begin, throttling } = setUp(1);
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
          const { clock, begin, countFree } = setUp(connections);
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
