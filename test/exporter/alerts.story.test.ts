import { expect, onTestFinished, test } from "vitest";
import { startTestApp, type TestApp, type TestAppOptions } from "../support/test-app.ts";
import { describeWithTools } from "../support/tools.ts";
import { alertFaults } from "../world/alert-verdict.ts";
import type { JudgedAlert } from "../world/justified-alerts.ts";

// The exporter scraped each minute, and what the rules make of that.

const START = "2026-11-18T12:00:00Z";
const MINUTE = 60_000;

type Verdict = JudgedAlert["verdicts"][number];

/** From minute 0 on: each verdict for so many minutes. */
function verdicts(...runs: readonly (readonly [Verdict, minutes: number])[]): readonly Verdict[] {
  return runs.flatMap(([verdict, minutes]) => Array.from({ length: minutes }, () => verdict));
}

async function start(options: TestAppOptions): Promise<TestApp> {
  const app = await startTestApp({ start: START, ...options });
  onTestFinished(() => app.stop());
  return app;
}

/** The text of each minute; `change` is called before the one of minute `at`. */
async function scrapes(app: TestApp, minutes: number, at: number, change: () => void): Promise<string[]> {
  const texts: string[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    if (minute === at) change();
    await app.clock.runTo(Date.parse(START) + (minute + 1) * MINUTE);
    texts.push(await app.page("/metrics"));
  }
  return texts;
}

describeWithTools(["promtool3"], "the rules over what the exporter shows", ({ promtool3 }) => {
  const faults = async (
    app: TestApp,
    { at, change }: { at: number; change: () => void },
    alert: JudgedAlert,
  ) =>
    alertFaults(promtool3, [
      {
        name: alert.subject,
        start: START,
        minutes: alert.verdicts.length,
        scrapes: await scrapes(app, alert.verdicts.length, at, change),
        alerts: [alert],
        isCalm: false,
      },
    ]);

  test("a budget of what was bought is exceeded once that has expired", async () => {
    const app = await start({
      analytics: true,
      prepare: (gateway) => {
        gateway.addKey({ name: "billing" });
        gateway.moveCredits({ kind: "purchase", micros: 100_000_000 });
        gateway.spend({ key: "billing", model: "acme/one", micros: 25_750_000 });
      },
      content: () => ({
        schedule: { analytics: "1m" },
        budgets: [{ name: "prepaid", limit: "bought", window: "total", account: true }],
      }),
    });
    const change = () => app.gateway.moveCredits({ kind: "expiry", micros: -80_000_000 });
    const alert: JudgedAlert = {
      names: ["AIGatewayBudgetExceeded"],
      subject: 'budget="prepaid"',
      verdicts: verdicts(["unjustified", 20], ["possible", 10], ["demanded", 10]),
    };
    expect(await faults(app, { at: 20, change }, alert)).toEqual([]);
  });

  test("a used up key is no longer out of credits when its limit is removed", async () => {
    const app = await start({
      prepare: (gateway) => {
        gateway.addKey({ name: "billing", limitMicros: 5_000_000, limitReset: "monthly" });
        gateway.spend({ key: "billing", model: "acme/one", micros: 5_000_000 });
      },
      content: () => ({ schedule: { keys: "60s" }, keys: [{ name: "billing", api_key_env: "KEY_0" }] }),
    });
    const alert: JudgedAlert = {
      names: ["AIGatewayKeyExhausted", "AIGatewayKeyExhaustionImminent"],
      subject: 'key="billing"',
      verdicts: verdicts(["possible", 8], ["demanded", 12], ["possible", 4], ["unjustified", 16]),
    };
    const change = () => app.gateway.setLimit("billing", null, null);
    expect(await faults(app, { at: 20, change }, alert)).toEqual([]);
  });
});
