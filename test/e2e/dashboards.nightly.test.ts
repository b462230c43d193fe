import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, test } from "vitest";

import { dashboards } from "../../dashboards/index.ts";
import { type DashboardJson, readDashboard } from "../dashboards/dashboard-json.ts";
import { createDemoGateway } from "../demo-gateway.ts";
import { defaultWorkspace } from "../gateway/entities.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startStage, type Stage } from "../support/past/stage.ts";
import { isPreviewInstalled, look, preparePreview } from "../preview/package.ts";
import { startPreviewServer } from "../preview/server.ts";
import type { Series } from "../support/prometheus-api.ts";
import { ROOT } from "../support/repository.ts";
import { describeWithTools, toolPath } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { ask, CHOICES, type Choices, filled } from "./dashboard-queries.ts";

const files: readonly DashboardJson[] = dashboards.map(({ json }) => readDashboard(json));

/** Queries without a result when all is well; their panels report that. */
const RIGHTLY_EMPTY: readonly { readonly at: string; readonly reason: string }[] = [
  { at: "AI gateway / Exporter health, 4 A", reason: "nothing is throttled" },
  { at: "AI gateway / Exporter health, 36 B", reason: "no run of a probe is skipped" },
  { at: "AI gateway / Exporter health, 34 B", reason: "no week of runs lies behind the probes" },
  { at: "AI gateway / Key, 25 A", reason: "no alert fires for this key" },
  { at: "AI gateway / Key, 25 B", reason: "no alert fires for this key" },
  { at: "AI gateway / Account, 23 C", reason: "every key is in use" },
  { at: "AI gateway / Account, 11 C", reason: "the unwatched spend of every day is known" },
  { at: "AI gateway / Account, 23 C", reason: "every key has been used within 90 days" },
  { at: "AI gateway / Models, 10 B", reason: "there are no more models than have a name" },
  { at: "AI gateway / Apps, 12 B", reason: "there are no more apps than have a name" },
  ...["Overview, 10 F", "Overview, 10 G", "Key, 21 A", "Account, 2 A", "Account, 22 E"].map((panel) => ({
    at: `AI gateway / ${panel}`,
    reason: "the forecast learns for an hour after a start",
  })),
  { at: "AI gateway / Overview, 4 A", reason: "withheld in the first tenth of the month" },
  { at: "AI gateway / Overview, 30 E", reason: "withheld in the first tenth of each window" },
  { at: "AI gateway / Overview, 30 F", reason: "withheld in the first tenth of each window" },
];

const DAY_MS = 86_400_000;

describeWithTools(["prometheus3", "promtool3"], "every panel on a real Prometheus", (tools) => {
  let gateway: Gateway;
  let stage: Stage;
  let settledAt: number;

  beforeAll(async () => {
    await untilDayIsSettled();
    gateway = createDemoGateway();
    gateway.switches.extraKeyFields = true;
    gateway.world.key(CHOICES["key"] ?? "").expiresAt = Date.now() + 40 * DAY_MS;
    await gateway.start();
    stage = await startStage({
      gateway,
      prometheus: tools.prometheus3,
      promtool: tools.promtool3,
      sparseDays: 33,
      sparseHours: 6,
      denseDays: 1.1,
      schedule: { keys: "5s", analytics: "20s", probes: "10s" },
    });
    // Probes begin once the spend of the day is known: more than a minute after the start.
    await stage.prometheus.queryUntil(
      "count(aigateway_probe_duration_seconds)",
      ([sample]) => sample?.value === 2,
      120_000,
    );
    // Nothing may be spent between reading the books and the figures.
    gateway.clock.speed = 0;
    gateway.manners.change({ micros: 0 });
    await stage.prometheus.queryUntil(
      'count(ALERTS{alertstate="firing"})',
      ([sample]) => (sample?.value ?? 0) > 0,
    );
    await frozen(stage);
    // Graphs end at a whole minute, and rates need two scrapes.
    settledAt = performance.now() + 90_000;
  }, 400_000);

  afterAll(async () => {
    await stage?.stop();
    await gateway?.stop();
  });

  const questions = files.flatMap((dashboard) =>
    dashboard.panels.flatMap((panel) =>
      panel.targets.map((target) => ({
        at: `${dashboard.title}, ${panel.id} ${target.refId}`,
        title: panel.title,
        dashboard,
        panel,
        target,
      })),
    ),
  );

  test.each(questions)(
    "$at ($title) has a result, or is rightly empty",
    async ({ at, ...question }) => {
      const isFree = RIGHTLY_EMPTY.some((each) => each.at === at);
      const answer = await until(
        at,
        () => ask(stage.prometheus, { ...question, choices: CHOICES, now: Date.now() }),
        (series) => series.length > 0 || isFree,
        // One wait for all, so that many empty panels fail within minutes.
        { timeoutMs: Math.max(1000, settledAt - performance.now()), pauseMs: 500 },
      );
      const values = answer.flatMap(({ points }) => points.map(({ value }) => value));
      expect(values.filter(Number.isNaN)).toEqual([]);
    },
    100_000,
  );

  test("the queries of the README have results as pasted", async () => {
    const [, block = ""] = /```promql\n(.*?)```/s.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
    const queries = block.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
    expect(queries).toHaveLength(4);
    const answers = await Promise.all(queries.map((query) => stage.prometheus.query(query.trim())));
    expect(queries.filter((_, index) => answers[index]?.length === 0)).toEqual([]);
  });

  test("annotations have no errors", async () => {
    for (const { annotations } of files) {
      for (const { target } of annotations.list) {
        await expect(stage.prometheus.query(filled(target.expr, CHOICES))).resolves.toBeDefined();
      }
    }
  });

  /** The answer to a query of a panel. */
  const figures = (
    title: string,
    id: number,
    refId: string,
    choices: Choices = {},
  ): Promise<readonly Series[]> => {
    const question = questions.find(({ at }) => at === `AI gateway / ${title}, ${id} ${refId}`);
    if (!question) throw new Error(`Cannot find panel ${id} of "${title}"`);
    return ask(stage.prometheus, { ...question, choices: { ...CHOICES, ...choices }, now: Date.now() });
  };
  const figure = async (title: string, id: number, refId = "A", choices: Choices = {}): Promise<number> =>
    total(await figures(title, id, refId, choices));

  /** Configured or listed; the list also knows the spend of the disabled key, which polls cannot learn. */
  const keys = () => {
    const listed = gateway.books.keys().filter(({ workspace }) => workspace === defaultWorkspace.id);
    return [...new Set([...gateway.tokens.keys(), ...listed.map(({ name }) => name)])];
  };
  const sumOfKeys = (window: "day" | "week" | "month", names = keys()) =>
    names.reduce((sum, name) => sum + gateway.books.key(name).micros.usage[window], 0) / 1e6;

  test.each([
    ["Spent today", 1, "day"],
    ["Spent this week", 2, "week"],
    ["Spent this month", 3, "month"],
  ] as const)("%s matches the books", async (_title, id, window) => {
    expect(await figure("Overview", id)).toBeCloseTo(sumOfKeys(window), 6);
    expect(sumOfKeys(window)).toBeGreaterThan(0);
  });

  test.each([
    ["Apps", 1, "this month"],
    ["Apps", 2, "last month"],
    ["Models", 3, "this month"],
  ] as const)("%s, panel %i: %s matches the books; tables add up to it", async (title, id, window) => {
    const now = gateway.clock.now();
    const months = window === "this month" ? [0, 1] : [-1, 0];
    const [start = 0, end = 0] = months.map((count) => monthStart(now, count));
    const books = gateway.books.analytics({ start, end });
    expect(books.total.numbers.credits_usage).toBeGreaterThan(0);
    expect(await figure(title, id)).toBeCloseTo(books.total.numbers.credits_usage, 6);
  });

  test.each([
    ["Balance", 1, "balance"],
    ["Used in all", 3, "spent"],
    ["Bought in all", 4, "bought"],
  ] as const)("%s of the account matches the books", async (_title, id, of) => {
    expect(await figure("Account", id)).toBeCloseTo(gateway.books.balance().credits[of], 6);
  });

  test("the unwatched spend of the month, and the names of its keys, match the books", async () => {
    const now = gateway.clock.now();
    const month = { start: monthStart(now, 0), end: monthStart(now, 1) };
    const books = gateway.books.unwatched(month, keys()).numbers.credits_usage;
    expect(books).toBeGreaterThan(0);
    expect(await figure("Account", 31)).toBeCloseTo(books, 6);
    const names = await figures("Account", 34, "A");
    expect(names.map(({ labels }) => labels["api_key"])).toContain("contractor");
  });

  test("the bar of a day shows the spend of models on that day, including the remainder", async () => {
    const day = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS;
    const bars = [...(await figures("Models", 10, "A")), ...(await figures("Models", 10, "B"))];
    const books = gateway.books.analytics({ start: day, end: day + DAY_MS });
    expect(totalAt(bars, day)).toBeCloseTo(books.total.numbers.credits_usage, 6);
  });

  test.skipIf(!canDraw)(
    "every panel draws, without output on the console",
    async () => {
      await preparePreview(() => {});
      const server = await startPreviewServer(stage.prometheus.url);
      const chromium = toolPath("chromium") ?? "chromium";
      const problems: string[] = [];
      const urls = files.map(
        ({ uid }) => `${server.url}/d/${uid}?refresh=0&var-key=${CHOICES["key"]}&rate=10m`,
      );
      const seen = await look(
        chromium,
        urls.map((url) => ({ url })),
      );
      for (const [index, { title, panels: defined }] of files.entries()) {
        const { panels = [], errors = [] } = seen[index] ?? {};
        const isExpected = ({ name, state }: (typeof panels)[number]) =>
          state === "drawn" ||
          (state === "empty" &&
            RIGHTLY_EMPTY.some(({ at }) => at.startsWith(`${title}, ${Number.parseInt(name)} `)));
        problems.push(
          ...errors,
          ...panels.filter((panel) => !isExpected(panel)).map(({ name, text }) => `${name}: ${text}`),
        );
        expect(panels).toHaveLength(defined.filter(({ type }) => type !== "row").length);
      }
      await server.stop();
      expect(problems).toEqual([]);
    },
    400_000,
  );

  test("budgets match the books", async () => {
    const spent = await figures("Overview", 30, "C");
    const payments = spent.filter(({ labels }) => labels["budget"] === "payments-month");
    expect(total(payments)).toBeCloseTo(sumOfKeys("month", ["billing", "checkout", "fraud"]), 6);
  });
});

/** The dashboard renderer takes 450 MB, so it is installed only on demand, or if all tests are required. */
const isRequired = process.env["E2E_REQUIRED"] === "1";
const canDraw = isRequired || (toolPath("chromium") !== undefined && isPreviewInstalled());
if (!canDraw) {
  process.stderr.write(
    'Skipped "every panel draws": needs chromium and npm ci in preview/ (npm run pictures does it)\n',
  );
}

function total(series: readonly Series[]): number {
  return series.reduce((sum, { points }) => sum + (points.at(-1)?.value ?? Number.NaN), 0);
}

function totalAt(series: readonly Series[], at: number): number {
  return series.reduce((sum, { points }) => sum + (points.find((point) => point.at === at)?.value ?? 0), 0);
}

function monthStart(at: number, months: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}

/** Two polls of every query after the clock has stopped: then the scraped values match the books. */
async function frozen({ prometheus }: Stage): Promise<void> {
  const since = Date.now() / 1000;
  const oldest =
    "min({__name__=~'aigateway_(analytics|key)_last_success_timestamp_seconds',query!='last_month',key!='onboarding'})";
  await until(
    "polls after the clock has stopped",
    () => prometheus.query(oldest),
    ([sample]) => (sample?.value ?? 0) > since + 1,
    {
      timeoutMs: 90_000,
      pauseMs: 500,
    },
  );
}

/** The test takes minutes and compares figures of days, so it waits for midnight and settling instead of crossing them. */
async function untilDayIsSettled(): Promise<void> {
  const elapsed = Date.now() % DAY_MS;
  const [before, after] = [8 * 60_000, 3 * 60_000];
  if (elapsed > DAY_MS - before) await delay(DAY_MS - elapsed + after);
  else if (elapsed < after) await delay(after - elapsed);
}
