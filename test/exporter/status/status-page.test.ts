import { describe, expect, test } from "vitest";
import { budgetStatus } from "../../../exporter/budgets/budget-status.ts";
import type { BudgetConfig } from "../../../exporter/config/config.ts";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import type { KeyReading } from "../../../exporter/readings/reading.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { keyDocument, pageDocument } from "../../../exporter/status/documents.ts";
import { createStatusPage, type DrawnPage, WithdrawnError } from "../../../exporter/status/status-page.ts";
import { WHOLE } from "../../../exporter/status/view.ts";
import { createManualClock } from "../../support/clock.ts";
import { testBudget, testConfig, testKey } from "../../support/test-config.ts";

const LATE = "2026-11-18T23:59:59.500Z";
const VALUES: KeyReading = {
  kind: "key",
  limitCredits: 10,
  remainingCredits: 4,
  limitReset: "never",
  usage: { total: 4321, day: 1234, week: 5, month: 6 },
  expiresAtMs: undefined,
  limitWindow: undefined,
};

/** A page about keys, over real readings. */
function setUp({ start, keyCount = 1 }: { readonly start?: string; readonly keyCount?: number } = {}) {
  const clock = createManualClock(start);
  const readings = createReadings(clock, createPacking(), () => 1e6);
  const names = Array.from({ length: keyCount }, (_, index) => `key-${index}`);
  let config = testConfig({ keys: names.map((name) => testKey(name)) });
  let drawings = 0;
  let duringPause: (() => void | Promise<void>) | undefined;
  let isBroken = false;
  const counted: typeof budgetStatus = (...parameters) => {
    drawings++;
    if (isBroken) {
      isBroken = false;
      throw new Error("broken");
    }
    return budgetStatus(...parameters);
  };
  let pauses = 0;
  const page = createStatusPage(
    () => config,
    () => ({ version: "1", startedMs: 0 }),
    "/metrics",
    {
      clock,
      sliceMs: 0,
      readings,
      budgetStatus: counted,
      probes: { record: () => undefined, spentToday: () => undefined },
      pause: async () => {
        pauses++;
        await duringPause?.();
      },
    },
  );
  const answer = (name: string, total: number, timeToLiveMs = 180_000) => {
    const id = targetId("key", name);
    const askedAtMs = clock.now();
    const value = { ...VALUES, usage: { ...VALUES.usage, total } };
    readings.configure(id, name);
    readings.update(id, { up: true, lastSuccessMs: askedAtMs });
    // Settled in its windows, which is not the subject here.
    readings.learn(id, { value, askedAtMs, asOfMs: askedAtMs, timeToLiveMs }, []);
  };
  const setBudgets = (count: number, parts?: Partial<BudgetConfig>) => {
    const budgets = Array.from({ length: count }, (_, index) => testBudget(`budget-${index}`, parts));
    config = { ...config, budgets };
  };
  setBudgets(1);
  return {
    clock,
    readings,
    answer,
    setBudgets,
    current: () => page.current(),
    view: (search: string) => page.current(pageDocument({ ...WHOLE, search })),
    keyPage: (name: string) => page.current(keyDocument(name)),
    text: async () => (await page.current()).body.toString(),
    breakNext: () => void (isBroken = true),
    drawings: () => drawings,
    pauses: () => pauses,
    onPause: (run: () => void | Promise<void>) => void (duringPause = run),
  };
}

describe("current()", () => {
  test("draws the page once for any number of readers within a second", async () => {
    const { current, clock, drawings, answer } = setUp();
    answer("key-0", 4321);
    const pages = new Set<DrawnPage>(await Promise.all(Array.from({ length: 16 }, current)));
    for (let time = 0; time < 9; time++) {
      await clock.advance(100);
      for (const page of await Promise.all(Array.from({ length: 16 }, current))) pages.add(page);
    }
    expect([pages.size, drawings()]).toEqual([1, 1]);
    await clock.advance(100);
    for (const page of await Promise.all(Array.from({ length: 16 }, current))) pages.add(page);
    expect([pages.size, drawings()]).toEqual([2, 2]);
  });

  test("shows a new value a second later at most, and when it was drawn", async () => {
    const { text, clock, answer } = setUp({ start: "2026-11-18T12:00:00Z" });
    answer("key-0", 4321);
    expect(await text()).toContain("4,321.00");
    answer("key-0", 8765);
    await clock.advance(1000);
    expect(await text()).toContain("8,765.00");
    expect(await text()).toContain("2026-11-18 12:00:01 UTC");
  });

  test.each<[string, (stage: ReturnType<typeof setUp>) => Promise<void> | void]>([
    ["is rejected by the gateway", ({ readings }) => readings.withdraw(targetId("key", "key-0"))],
    ["belongs to another identity", ({ readings }) => readings.configure(targetId("key", "key-0"), "other")],
    ["belongs to a key that is removed", ({ readings }) => readings.remove(targetId("key", "key-0"))],
    ["outlives its time to live", ({ clock }) => clock.advance(300)],
    ["outlives its time to live by a stepped clock", ({ clock }) => clock.set(clock.now() + 300)],
  ])("withdraws a value at once when it %s", async (_name, change) => {
    const stage = setUp();
    stage.answer("key-0", 4321, 300);
    expect(await stage.text()).toContain("4,321.00");
    await change(stage);
    expect(await stage.text()).not.toContain("4,321.00");
  });

  test("withdraws the values of a window when it ends", async () => {
    const { text, clock, answer } = setUp({ start: "2026-11-18T23:59:59.000Z" });
    answer("key-0", 4321);
    await clock.advance(500);
    expect(await text()).toContain("1,234.00");
    expect(clock.now()).toBe(Date.parse(LATE));
    await clock.advance(499);
    expect(await text()).toContain("1,234.00");
    await clock.advance(1);
    expect(await text()).not.toContain("1,234.00");
    expect(await text()).toContain("4,321.00");
  });

  test("draws again after a reload and when the clock is set back", async () => {
    const { text, clock, readings, drawings } = setUp();
    await text();
    readings.derive(new Map());
    await text();
    clock.set(clock.now() - 1);
    await text();
    expect(drawings()).toBe(3);
  });

  test("draws again if a value is withdrawn while the page is drawn", async () => {
    const stage = setUp();
    stage.answer("key-0", 4321);
    stage.onPause(() => {
      stage.readings.withdraw(targetId("key", "key-0"));
      stage.onPause(() => {});
    });
    expect(await stage.text()).not.toContain("4,321.00");
  });

  test("gives up while values are withdrawn all the time", async () => {
    const stage = setUp();
    stage.answer("key-0", 4321);
    stage.onPause(() => stage.readings.derive(new Map()));
    await expect(stage.current()).rejects.toThrow(WithdrawnError);
  });

  test("is drawn while values outlive their time to live one after the other, as in an outage", async () => {
    const stage = setUp({ keyCount: 100 });
    for (let key = 0; key < 99; key++) stage.answer(`key-${key}`, 4321, 100 * (key + 1));
    stage.answer("key-99", 8765);
    stage.onPause(() => stage.clock.advance(10));
    expect(await stage.text()).toContain("8,765.00");
  });

  test("says that a budget is incomplete when the answer about its key is too old", async () => {
    const stage = setUp({ start: "2026-11-18T12:00:00Z" });
    stage.setBudgets(1, { scope: { kind: "keys", names: ["key-0"] } });
    stage.answer("key-0", 4321, 300);
    expect(await stage.text()).not.toContain("has not answered recently");
    await stage.clock.advance(300);
    expect(await stage.text()).toContain("has not answered recently");
  });

  test("can pause between any two keys and budgets", async () => {
    const stage = setUp({ keyCount: 10_000 });
    stage.setBudgets(200);
    await stage.current();
    // Rows of 100 keys and 200 budgets, and the status of each budget.
    expect(stage.pauses()).toBeGreaterThan(100 + 200 + 200);
  });

  test("separates the thousands of its counts", async () => {
    expect(await setUp({ keyCount: 10_000 }).text()).toContain(" of 10,000</span>");
  });

  test("serves a page whose drawing took longer than pages last, once", async () => {
    const stage = setUp();
    stage.answer("key-0", 4321);
    stage.onPause(() => stage.clock.advance(2000));
    const [one, other] = await Promise.all([stage.text(), stage.text()]);
    expect(one).toContain("4,321.00");
    expect([other === one, stage.drawings()]).toEqual([true, 1]);
    await stage.current();
    expect(stage.drawings()).toBe(2);
  });

  test("draws a view once for all its readers, from the values of the whole page", async () => {
    const stage = setUp({ keyCount: 20 });
    const drawn = await Promise.all(Array.from({ length: 16 }, (_, index) => stage.view(`key-${index % 2}`)));
    expect([new Set(drawn).size, stage.drawings()]).toEqual([2, 1]);
    expect(drawn[0]?.body.toString()).toContain("key-0");
    expect(drawn[0]?.body.toString()).not.toContain("key-11");
    expect([await stage.view("key-1"), await stage.current()]).not.toContain(drawn[0]);
    expect(stage.drawings()).toBe(1);
  });

  test("draws the page of a key, and a missing one for a key that does not exist", async () => {
    const stage = setUp({ keyCount: 2 });
    stage.answer("key-1", 4321);
    const [known, unknown] = [await stage.keyPage("key-1"), await stage.keyPage("key-2")];
    expect([known.isMissing, unknown.isMissing]).toEqual([false, true]);
    expect(known.body.toString()).toContain("4,321.00");
    expect(unknown.body.toString()).toContain("No key is named");
    expect(stage.drawings()).toBe(1);
    stage.readings.withdraw(targetId("key", "key-1"));
    expect((await stage.keyPage("key-1")).body.toString()).not.toContain("4,321.00");
  });

  test("refuses a flood of different views, but neither the whole page nor views that are drawn", async () => {
    const stage = setUp({ keyCount: 3 });
    const flood = await Promise.allSettled(
      Array.from({ length: 1000 }, (_, index) => stage.view(`view-${index}`)),
    );
    const refused = flood.filter((each) => each.status === "rejected");
    expect(refused).toHaveLength(1000 - 16);
    expect(new Set(refused.map(({ reason }) => reason.name))).toEqual(new Set(["TooManyViewsError"]));
    expect(await stage.text()).toContain("key-2");
    await stage.view("view-15");
    await stage.clock.advance(1000);
    await expect(stage.view("view-999")).resolves.toBeDefined();
  });

  test("withdraws a value from every view at once", async () => {
    const stage = setUp({ keyCount: 2 });
    stage.answer("key-0", 4321);
    expect((await stage.view("key-0")).body.toString()).toContain("4,321.00");
    stage.readings.withdraw(targetId("key", "key-0"));
    expect((await stage.view("key-0")).body.toString()).not.toContain("4,321.00");
  });

  test("draws one view after the other, in slices", async () => {
    const stage = setUp({ keyCount: 500 });
    await Promise.all([stage.view("key-1"), stage.view("key-2"), stage.view("key-3")]);
    let running = 0;
    const most: number[] = [];
    await stage.clock.advance(1000);
    stage.onPause(async () => {
      most.push(++running);
      await Promise.resolve();
      running--;
    });
    await Promise.all([stage.view("key-1"), stage.view("key-2"), stage.view("key-3")]);
    expect(most.length).toBeGreaterThan(300);
    expect(Math.max(...most)).toBe(1);
  });

  test("draws again after a failure", async () => {
    const stage = setUp();
    stage.breakNext();
    await expect(stage.current()).rejects.toThrow("broken");
    expect(await stage.text()).toContain("<html");
  });
});
