import { expect, test } from "vitest";
import { budgetStatus } from "../../../exporter/budgets/budget-status.ts";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { createStatusPage } from "../../../exporter/status/status-page.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";
import { testConfig, testKey } from "../../support/test-config.ts";

const KEYS = 2000;
const NOON = Date.parse("2026-11-18T12:00:00Z");

test("a page of many keys looks at the clock a few times for each", async () => {
  const clock = createManualClock(NOON);
  let looks = 0;
  const counting = {
    ...clock,
    now: () => {
      looks++;
      return clock.now();
    },
    monotonic: () => {
      looks++;
      return clock.monotonic();
    },
  };
  const readings = createReadings(counting, createPacking(), () => 1000);
  const keys = Array.from({ length: KEYS }, (_, index) => testKey(`key-${index}`));
  for (const { name } of keys) {
    const id = targetId("key", name);
    readings.configure(id, name);
    const value = {
      kind: "key" as const,
      limitCredits: 10,
      limitReset: "monthly" as const,
      remainingCredits: 5,
      usage: { day: 1, week: 2, month: 3, total: 4 },
      expiresAtMs: undefined,
      limitWindow: windowAt("month", NOON),
    };
    const times = { askedAtMs: NOON, asOfMs: NOON, timeToLiveMs: 600_000 };
    readings.learn(id, { value, ...times }, []);
    readings.update(id, { up: true, lastSuccessMs: NOON });
  }
  const probes = { record: () => undefined, spentToday: () => undefined };
  const about = () => ({ version: "1", startedMs: NOON });
  const page = createStatusPage(() => testConfig({ keys }), about, "/metrics", {
    clock: counting,
    readings,
    budgetStatus,
    probes,
  });
  looks = 0;
  expect((await page.current()).body.toString()).toContain("and 1,900 more keys, none of them failing");
  expect(looks / KEYS).toBeLessThan(4);
  await clock.advance(600_000);
  expect((await page.current()).body.toString()).toContain("unknown for every key");
});
