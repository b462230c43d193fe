import { expect, onTestFinished, test } from "vitest";
import type { Gateway } from "../../gateway/gateway.ts";
import { startTestApp } from "../../support/test-app.ts";
import { textOf } from "../status/page/page-reader.ts";

const START = "2026-11-18T22:30:00Z";
const HOUR_MS = 3_600_000;

/** An exporter, ten minutes after its start, of an account that spent 8 credits on 2 October, 4 last week, 2 yesterday and 1 today. */
async function start(prepare: (gateway: Gateway) => void = () => {}, largest = "2MiB") {
  const app = await startTestApp({
    start: START,
    gateway: () => ({ keys: 0 }),
    analytics: true,
    content: ({ url }) => ({
      discovery: {},
      gateway: { base_url: url, requests_per_minute: 0, max_body: largest },
    }),
    prepare: (gateway) => {
      gateway.addKey({ name: "billing", title: "Billing" });
      const now = Date.parse(START);
      for (const [hours, micros] of [
        [47 * 24, 8_000_000],
        [168, 4_000_000],
        [24, 2_000_000],
        [2, 1_000_000],
      ] as const)
        gateway.spend({ key: "billing", model: "acme/one", app: "Chat", micros, at: now - hours * HOUR_MS });
      prepare(gateway);
    },
  });
  onTestFinished(() => app.stop());
  await app.clock.runTo(app.clock.now() + 600_000);
  return app;
}

test("the page shows the past of the account, of keys, models and apps soon after the start, and its metrics none", async () => {
  const app = await start();
  for (const path of ["/", "/keys/billing", "/models/acme%2Fone", "/apps/Chat"]) {
    const text = textOf(await app.page(path));
    expect(text).toContain("Spend by day 7.00 credits");
    expect(text).toContain("10 Nov 0.00, 11 Nov 4.00, 12 Nov 0.00");
    expect(text).toContain("17 Nov 2.00, 18 Nov 1.00.");
    expect(text).toContain("Spend of today by hour 1.00 credits");
    expect(text.includes("This month against the last 7.00 credits, last month 8.00 in all")).toBe(
      path === "/",
    );
    expect(text).toContain("20:00 1.00, 21:00 0.00, 22:00 0.00.");
  }
  expect(
    [...(await app.series()).keys()].filter((name) => /^aigateway_(?!exporter).*history/.test(name)),
  ).toEqual([]);
});

test("days and the hours of the forecast are asked once an hour, other hours four times, and midnight begins a new day", async () => {
  const app = await start();
  const asked = async () =>
    [...(await app.series())].filter(
      ([name]) => name.startsWith("aigateway_exporter_polls_total{") && name.includes('"history"'),
    );
  const before = (await asked()).reduce((sum, [, count]) => sum + count, 0);
  await app.clock.runTo(app.clock.now() + HOUR_MS);
  const after = (await asked()).reduce((sum, [, count]) => sum + count, 0);
  expect([before, after - before]).toEqual([9, 21]);
  await app.clock.runTo(Date.parse("2026-11-19T00:10:00Z"));
  expect(textOf(await app.page())).toContain("18 Nov 1.00, 19 Nov 0.00.");
});

test("a service that refuses the questions has no history, which is no failure", async () => {
  const app = await start((gateway) =>
    gateway.faults.add({ kind: "status", status: 400, endpoint: "analytics" }),
  );
  const failures = [...(await app.series())].filter(([name]) => /poll_failures_total.*"history"/.test(name));
  expect(failures.map(([, count]) => count).filter((count) => count > 0)).toEqual([]);
  expect(textOf(await app.page())).toContain("The gateway’s history is not known yet.");
});

test("a large account, whose answers would be too large, is asked for its newer days and hours", async () => {
  const app = await start((gateway) => {
    for (const key of ["a", "b", "c", "d", "e", "f"]) {
      gateway.addKey({ name: key });
      for (let hours = 1; hours < 30 * 24; hours += 24)
        gateway.spend({
          key,
          model: "acme/one",
          app: "Chat",
          micros: 1_000_000,
          at: Date.parse(START) - hours * HOUR_MS,
        });
    }
  }, "8KiB");
  const failures = [...(await app.series())].filter(([name]) => /poll_failures_total.*"history"/.test(name));
  expect(failures.map(([, count]) => count).filter((count) => count > 0)).toEqual([]);
  const text = textOf(await app.page());
  expect(text).toContain("17 Nov 8.00, 18 Nov 7.00.");
  expect(text).not.toContain("25 Oct");
});

test("the history ends with the management key", async () => {
  const app = await start();
  await app.apply({ analytics: undefined, discovery: undefined });
  expect(textOf(await app.page())).not.toContain("Spend by day");
});
