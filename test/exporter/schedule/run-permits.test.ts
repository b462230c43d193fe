import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PausedError } from "../../../exporter/gateway/errors.ts";
import type { Permit } from "../../../exporter/gateway/port.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createDispatcher, type Release } from "../../../exporter/schedule/dispatcher.ts";
import { createRefusals } from "../../../exporter/schedule/refusals.ts";
import { createRunPermits, type RunPermits } from "../../../exporter/schedule/run-permits.ts";
import { createManualClock } from "../../support/clock.ts";

/** Permits of runs that begin as soon as `connections` allow it. */
function setUp(connections: number, perMinute = 0) {
  const clock = createManualClock();
  const limits = { perMinute: { key: perMinute, analytics: 0, account: 0, transcription: 0 }, connections };
  const dispatcher = createDispatcher(clock, limits);
  const refusals = createRefusals(clock, { maxPauseMs: () => 300_000, targetsOf: () => 3 });
  const queue: ((release: Release) => void)[] = [];
  dispatcher.serve({
    openAt: (endpoint) => (endpoint === "key" && queue.length > 0 ? clock.monotonic() : undefined),
    begin: (_, release) => queue.shift()?.(release),
  });
  const begin = (id: TargetId) =>
    new Promise<ReturnType<typeof createRunPermits>>((resolve) => {
      const dependencies = { clock, dispatcher, refusals, intervals: { at: () => 60_000 } };
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
  return { clock, refusals, begin, countFree };
}

const NEVER = new AbortController().signal;
const GOOD = { answered: true, throttled: false };

describe("createRunPermits()", () => {
  test("the first permit is available at once; a second request of the same run never waits for the first one", async () => {
    const { begin, countFree } = setUp(1);
    const permits = await begin("key/a");
    for (const _ of [1, 2, 3]) (await permits.next(NEVER, "request")).release(GOOD);
    permits.close();
    expect(await countFree()).toBe(1);
  });

  test("a first request that comes late waits for another permit, so that requests are evenly spaced", async () => {
    const { clock, begin } = setUp(1, 60);
    const [late, other] = [await begin("key/a"), begin("key/b")];
    await clock.advance(5000);
    const sentAt: number[] = [];
    const send = async (permits: RunPermits) => {
      (await permits.next(NEVER, "request")).release(GOOD);
      sentAt.push(clock.now() - createManualClock().now());
    };
    const sent = [send(late), other.then(send)];
    await clock.advance(2000);
    await Promise.all(sent);
    expect((sentAt[1] ?? 0) - (sentAt[0] ?? 0)).toBe(1000);
  });

  test("close() returns a first permit that was not used, and only that one", async () => {
    const { begin, countFree } = setUp(1);
    const unused = await begin("key/a");
    unused.close();
    unused.close();
    const used = await begin("key/b");
    const permit = await used.next(NEVER, "request");
    used.close();
    expect(await countFree()).toBe(0);
    permit.release(GOOD);
    permit.release(GOOD);
    expect(await countFree()).toBe(1);
  });

  test("close() refuses further requests; isInUse shows those that go on", async () => {
    const { begin } = setUp(1);
    const permits = await begin("key/a");
    const first = await permits.next(NEVER, "request");
    const aborter = new AbortController();
    const second = permits.next(aborter.signal, "request");
    permits.close();
    await expect(permits.next(NEVER, "request")).rejects.toThrow("The run has ended");
    first.release(GOOD);
    (await second).release(GOOD);
    expect(permits.isInUse).toBe(false);
    const others = await begin("key/b");
    await others.next(NEVER, "request");
    const waiting = others.next(aborter.signal, "request");
    expect(others.isInUse).toBe(true);
    aborter.abort(new Error("Stop"));
    await expect(waiting).rejects.toThrow("Stop");
    expect(others.isInUse).toBe(true);
  });

  test("rejects with the reason of an aborted signal", async () => {
    const { begin, countFree } = setUp(1);
    const permits = await begin("key/a");
    await expect(permits.next(AbortSignal.abort(new Error("Stop")), "request")).rejects.toThrow("Stop");
    permits.close();
    expect(await countFree()).toBe(1);
  });

  test("returns a permit that comes at the moment of the abort", async () => {
    const { begin, countFree } = setUp(1);
    const [holder, waiter] = [await begin("key/a"), begin("key/b")];
    const held = await holder.next(NEVER, "request");
    held.release(GOOD);
    const permits = await waiter;
    const first = await permits.next(NEVER, "request");
    const aborter = new AbortController();
    const second = permits.next(aborter.signal, "request");
    first.release(GOOD);
    aborter.abort(new Error("Stop"));
    await expect(second).rejects.toThrow("Stop");
    expect(await countFree()).toBe(1);
  });

  test("refuses further requests of a target that must rest, without taking a permit", async () => {
    const { begin, countFree } = setUp(1);
    const permits = await begin("key/a");
    const permit = await permits.next(NEVER, "request");
    permit.release({ answered: true, throttled: true, retryAfterMs: 10_000 });
    await expect(permits.next(NEVER, "retry")).rejects.toThrow(PausedError);
    expect(await countFree()).toBe(1);
  });

  test("returns the permit of a request that was waiting when the pause began", async () => {
    const { begin, refusals, countFree } = setUp(1);
    const permits = await begin("key/a");
    const first = await permits.next(NEVER, "request");
    const second = permits.next(NEVER, "request");
    refusals.answered("key", "key/a", { throttled: false, retryAfterMs: 10_000 }, 60_000);
    first.release(GOOD);
    await expect(second).rejects.toThrow(PausedError);
    expect(await countFree()).toBe(1);
  });

  test("only the first outcome of a request counts", async () => {
    const { begin, refusals } = setUp(1);
    const permits = await begin("key/a");
    const permit = await permits.next(NEVER, "request");
    permit.release(GOOD);
    permit.release({ answered: true, throttled: true, retryAfterMs: 10_000 });
    expect(refusals.restMs("key/a")).toBe(0);
  });

  test("the outcome of an aborted run does not count", async () => {
    const { begin, refusals } = setUp(1);
    const permits = await begin("key/a");
    const aborter = new AbortController();
    const permit = await permits.next(aborter.signal, "request");
    aborter.abort(new Error("Another secret"));
    permit.release({ answered: true, throttled: true, retryAfterMs: 10_000 });
    expect(refusals.restMs("key/a")).toBe(0);
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
