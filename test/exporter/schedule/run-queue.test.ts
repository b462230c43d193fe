import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TargetId } from "../../../exporter/readings/target-id.ts";
import { createRunQueue } from "../../../exporter/schedule/run-queue.ts";

const everybody = () => true;
/** A group's name contains its interval. */
const intervalOf = (group: string) => Number(group.split(" ")[1]);
const MINUTE = "key 100";

/** A queue, and the jobs taken from it in order. */
function setUp() {
  const queue = createRunQueue();
  const take = (now: number, mayBegin: (id: TargetId) => boolean = everybody) => {
    const job = queue.next(now, mayBegin, intervalOf);
    if (job) queue.remove(job.id);
    return job?.id;
  };
  const takeAll = (now: number) => {
    const taken: TargetId[] = [];
    for (let id = take(now); id; id = take(now)) taken.push(id);
    return taken;
  };
  return { queue, take, takeAll };
}

describe("createRunQueue()", () => {
  test("an empty queue has no next and no oldest job", () => {
    const { queue } = setUp();
    expect([queue.next(0, everybody, intervalOf), queue.oldest(), [...queue.ids()]]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  });

  test("next() leaves the job in the queue", () => {
    const { queue } = setUp();
    queue.add("key/a", 5, MINUTE);
    expect(queue.next(10, everybody, intervalOf)).toEqual({ id: "key/a", dueAt: 5 });
    expect(queue.next(10, everybody, intervalOf)).toEqual({ id: "key/a", dueAt: 5 });
    expect(queue.oldest()).toBe(5);
  });

  test("a waiting job keeps its earlier time", () => {
    const { queue, takeAll } = setUp();
    queue.add("key/a", 0, MINUTE);
    queue.add("key/b", 1, MINUTE);
    queue.add("key/a", 2, MINUTE);
    expect(takeAll(10)).toEqual(["key/a", "key/b"]);
  });

  test("jobs of the same interval are served by the time they became due, whenever they were added", () => {
    const { queue, takeAll } = setUp();
    queue.add("key/c", 30, MINUTE);
    queue.add("key/a", 10, MINUTE);
    queue.add("key/b", 20, MINUTE);
    expect(queue.oldest()).toBe(10);
    expect(takeAll(50)).toEqual(["key/a", "key/b", "key/c"]);
  });

  test("the job that is most overdue in relation to its interval comes first", () => {
    const { queue, takeAll } = setUp();
    queue.add("analytics/hourly", 0, "analytics 1000");
    queue.add("analytics/often", 50, "analytics 100");
    expect(takeAll(100)).toEqual(["analytics/often", "analytics/hourly"]);
    queue.add("analytics/hourly", 0, "analytics 1000");
    queue.add("analytics/often", 990, "analytics 100");
    expect(takeAll(1000)).toEqual(["analytics/hourly", "analytics/often"]);
  });

  test("a job with a longer interval of its own waits longer than the others of its group", () => {
    const { queue, takeAll } = setUp();
    queue.add("analytics/last_month", 0, "analytics 100", 1000);
    queue.add("analytics/day", 50, "analytics 100");
    expect(takeAll(100)).toEqual(["analytics/day", "analytics/last_month"]);
  });

  test("a job that waits is judged by the present interval of its group, not by that of its first day", () => {
    const { queue } = setUp();
    queue.add("analytics/waiting", 0, "analytics");
    queue.add("key/new", 50, "key");
    const nextWith = (analytics: number) =>
      queue.next(100, everybody, (group) => (group === "key" ? 100 : analytics))?.id;
    expect([nextWith(3600), nextWith(100)]).toEqual(["key/new", "analytics/waiting"]);
  });

  test("a job that may not begin is passed over and keeps its place", () => {
    const { queue, take, takeAll } = setUp();
    for (const [index, id] of (["key/a", "key/b", "key/c"] as const).entries()) queue.add(id, index, MINUTE);
    expect(take(10, (id) => id !== "key/a")).toBe("key/b");
    expect(take(10, () => false)).toBeUndefined();
    expect(takeAll(10)).toEqual(["key/a", "key/c"]);
  });

  test("a removed job is not served, and may be added again at the end", () => {
    const { queue, takeAll } = setUp();
    for (const [index, id] of (["key/a", "key/b", "key/c"] as const).entries()) queue.add(id, index, MINUTE);
    queue.remove("key/a");
    queue.remove("key/nobody");
    expect([...queue.ids()]).toEqual(["key/b", "key/c"]);
    expect(queue.oldest()).toBe(1);
    queue.add("key/a", 3, MINUTE);
    expect(takeAll(10)).toEqual(["key/b", "key/c", "key/a"]);
  });

  test("no job is served twice or lost, for any sequence of additions and removals", () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("add" as const),
        id: fc.nat(5),
        dueAt: fc.nat(50),
        interval: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({ kind: fc.constant("remove" as const), id: fc.nat(5) }),
      fc.record({ kind: fc.constant("take" as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { queue } = setUp();
        const model = new Map<TargetId, number>();
        let correct = true;
        for (const each of steps) {
          if (each.kind === "add") {
            const id: TargetId = `key/${each.id}`;
            queue.add(id, each.dueAt, `key ${each.interval}`);
            if (!model.has(id)) model.set(id, each.dueAt);
          } else if (each.kind === "remove") {
            queue.remove(`key/${each.id}`);
            model.delete(`key/${each.id}`);
          } else {
            const job = queue.next(100, everybody, intervalOf);
            correct &&= job ? model.get(job.id) === job.dueAt : model.size === 0;
            if (job) queue.remove(job.id);
            if (job) model.delete(job.id);
          }
          expect(correct).toBe(true);
          expect(queue.oldest()).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
          expect(new Set(queue.ids())).toEqual(new Set(model.keys()));
        }
      }),
    );
  });

  test("no job waits longer than two effective intervals, whatever other jobs are added", () => {
    const job = fc.record({ periodMs: fc.integer({ min: 1, max: 40 }), phaseMs: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(job, { minLength: 1, maxLength: 12 }), (jobs) => {
        const { queue } = setUp();
        const waits = jobs.map(() => 0);
        // One job is served in each millisecond, so all of them take as many milliseconds as there are jobs.
        const effective = jobs.map(({ periodMs }) => Math.max(periodMs, jobs.length));
        for (let now = 0; now < 500; now++) {
          for (const [index, { periodMs, phaseMs }] of jobs.entries())
            if (now >= phaseMs && (now - phaseMs) % periodMs === 0)
              queue.add(`key/${index}`, now, `key ${effective[index]}`);
          for (const [index] of jobs.entries()) waits[index] = waitOf(queue, `key/${index}`, now);
          for (const [index, waitMs] of waits.entries())
            expect(waitMs).toBeLessThanOrEqual(2 * (effective[index] ?? 0));
          const next = queue.next(now, everybody, intervalOf);
          if (next) queue.remove(next.id);
        }
      }),
    );
  });
});

function waitOf(queue: ReturnType<typeof createRunQueue>, wanted: TargetId, now: number): number {
  const job = queue.next(now, (id) => id === wanted, intervalOf);
  return job ? now - job.dueAt : 0;
}
