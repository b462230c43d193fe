import { expect, onTestFinished, test } from "vitest";
import { renderRuleFile } from "../../dashboards/rules/file.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { JOB } from "../../dashboards/rules/settings.ts";
import { startFastProcess } from "../support/app-process.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { type FastTime, shownAt, shownInPromql } from "../support/fast-time.ts";
import { startPrometheus } from "../support/prometheus.ts";
import { startSimulatedGateway } from "../support/simulated-gateway.ts";
import { describeWithTools } from "../support/tools.ts";
import { until } from "../support/until.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
/** A minute takes a third of a second. */
const SPEED = 180;
const OTHER_WORKSPACE = "11111111-2222-4333-8444-555555555555";

describeWithTools(["prometheus3"], "an exporter with nothing but a management key", ({ prometheus3 }) => {
  test("shows every key and the balance, and alerts of a key that nobody watches", async () => {
    const time: FastTime = { speed: SPEED, realMs: Date.now(), shownMs: NOON };
    const gateway = await startSimulatedGateway({ now: () => shownAt(time, Date.now()), startAt: NOON });
    gateway.addKey({ name: "search", title: "Prod Search", limitMicros: 10_000_000, limitReset: "daily" });
    gateway.addKey({ name: "contractor", workspace: OTHER_WORKSPACE });
    gateway.spend({ key: "search", model: "acme/one", micros: 3_000_000 });
    gateway.spend({ key: "contractor", model: "acme/two", micros: 1_000_000 });
    const { exporter, prometheus } = await start(prometheus3, gateway, time);

    const alerts = await until(
      "the alert of unwatched spend",
      () => prometheus.query('ALERTS{alertname="AIGatewayUnwatchedSpend",alertstate="firing"}'),
      (firing) => firing.length > 0,
      { timeoutMs: 120_000, pauseMs: 250 },
    );
    expect(alerts[0]?.labels).toMatchObject({ job: JOB, severity: "info" });
    const shown = async (expr: string) => (await prometheus.query(expr)).map(({ value }) => value);
    expect(await shown("aigateway_unwatched_day_credits")).toEqual([1]);
    expect(await shown('aigateway_key_limit_remaining_credits{key="prod-search"}')).toEqual([7]);
    expect(await shown('sum(aigateway_query_credits{query="keys-day"})')).toEqual([4]);
    expect(await shown("aigateway_account_used_credits")).toEqual([gateway.books.balance().credits.spent]);
    const page = await (await fetch(exporter.url)).text();
    expect(page).toContain("prod-search");
    const account = await (await fetch(`${exporter.url}/account`)).text();
    expect(account).toMatch(/Unwatched spend[^]*Today 1\.00/);
    expect(page + account).not.toContain(gateway.managementToken);
  }, 60_000);
});

type Gateway = Awaited<ReturnType<typeof startSimulatedGateway>>;

/** The exporter and a Prometheus with its rules, in the fast time. */
async function start(binary: string, { url, managementToken }: Gateway, time: FastTime) {
  const files = writeExporterFiles({
    gatewayUrl: url,
    tokens: new Map(),
    managementToken,
    content: {
      // The longest values allowed, because ten seconds of the fast time may be too short for a busy machine.
      gateway: { base_url: url, timeout: "10m", deadline: "1h" },
    },
  });
  onTestFinished(() => files.remove());
  const exporter = await startFastProcess(files, time);
  onTestFinished(() => exporter.stop());
  const rules = createRules({ scale: 1 / SPEED, now: shownInPromql(time) });
  const prometheus = await startPrometheus({
    binary,
    targets: { [JOB]: [exporter.address] },
    rules: [renderRuleFile(rules)],
    interval: "250ms",
  });
  onTestFinished(() => prometheus.stop());
  return { exporter, prometheus };
}
