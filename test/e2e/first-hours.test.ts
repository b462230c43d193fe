import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { dashboards } from "../../dashboards/index.ts";
import { readDashboard } from "../dashboards/dashboard-json.ts";
import { columnOf } from "../dashboards/shown-text.ts";
import { createDemoGateway } from "../demo-gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { readStageConfig, stageConfig } from "../history/stage-config.ts";
import { watchPast, type WatchedPast } from "../history/watched-past.ts";
import type { Prometheus } from "../support/prometheus.ts";
import { describeWithTools } from "../support/tools.ts";
import { ask, CHOICES, filled } from "./dashboard-queries.ts";

const MINUTE_MS = 60_000;
const HOURS = 7.2;

const files = dashboards.map(({ json }) => readDashboard(json));

/** The process of the exporter has no simulated past. */
const shown = files.filter(({ uid }) => uid !== "aigateway-exporter");

const runway = files.flatMap(({ panels }) => panels).find(({ title }) => title === "Runway of keys");
if (!runway) throw new Error("There is no panel with the verdicts");
const verdict = columnOf(runway, "Verdict");

/** The texts of panels that may be empty, and until how many minutes after the start of the exporter. */
const MAY_BE_EMPTY: readonly { readonly text: RegExp; readonly untilMinutes: number }[] = [
  // The simulated past has no alerts.
  { text: /^No alert is firing/, untilMinutes: Infinity },
  // Whether a night lies in these hours depends on when the test runs.
  { text: /^No full day was watched/, untilMinutes: Infinity },
  // In the first tenth of a month.
  { text: /^too early/, untilMinutes: Infinity },
  { text: /The first point of a new graph appears within an hour$/, untilMinutes: 60 },
  { text: /less than six hours of history$/, untilMinutes: 360 },
];

const TIMES = [
  { time: "5 minutes", minutes: 5 },
  { time: "34 minutes", minutes: 34 },
  { time: "90 minutes", minutes: 90 },
  { time: "7 hours", minutes: 420 },
] as const;

const DAY_MS = 1440 * MINUTE_MS;
const SETTLED_MS = 12 * MINUTE_MS;

describeWithTools(["prometheus3", "promtool3"], "the first hours of a new exporter", (tools) => {
  let gateway: Gateway;
  let past: WatchedPast;
  let prometheus: Prometheus;
  let startedAt: number;

  beforeAll(async () => {
    gateway = createDemoGateway();
    gateway.switches.extraKeyFields = true;
    await gateway.start();
    past = await watchPast({
      gateway,
      // As often as scrapes, so that the history begins as it would in production.
      configOf: () => readStageConfig(stageConfig(gateway, { keys: "4m", analytics: "4m" })),
      prometheus: tools.prometheus3,
      promtool: tools.promtool3,
      sparseDays: 0,
      sparseHours: 6,
      denseDays: HOURS / 24,
    });
    // Nothing listens there: only the past counts.
    prometheus = await past.watch("http://127.0.0.1:9");
    const [oldest] = await prometheus.query(
      "min(min_over_time(timestamp(aigateway_exporter_build_info)[12h:1m]))",
    );
    startedAt = (oldest?.value ?? Number.NaN) * 1000;
  }, 300_000);

  afterAll(async () => {
    await prometheus?.stop();
    past?.remove();
    await gateway?.stop();
  });

  describe.each(TIMES)("after $time", ({ minutes }) => {
    /** Not in the first minutes of a day, in which every figure of the day is rightly absent. */
    const at = (): number => {
      const wanted = startedAt + minutes * MINUTE_MS;
      return wanted % DAY_MS < SETTLED_MS ? wanted - (wanted % DAY_MS) + SETTLED_MS : wanted;
    };

    test("each panel has figures, or names the reason why it has none", async () => {
      const questions = shown.flatMap((dashboard) =>
        dashboard.panels.filter(({ type }) => type !== "row").map((panel) => ({ dashboard, panel })),
      );
      const texts = await Promise.all(
        questions.map(async ({ dashboard, panel }) => {
          const answers = await Promise.all(
            panel.targets.map((target) =>
              ask(prometheus, { dashboard, panel, target, choices: CHOICES, now: at() }),
            ),
          );
          const isEmpty = answers.flat().every(({ points }) => points.length === 0);
          return isEmpty
            ? [
                {
                  panel: `${dashboard.title}, ${panel.title}`,
                  text: panel.fieldConfig?.defaults.noValue ?? "",
                },
              ]
            : [];
        }),
      );
      const allowed = MAY_BE_EMPTY.filter(({ untilMinutes }) => minutes < untilMinutes);
      const wrong = texts.flat().filter((empty) => !allowed.some(({ text }) => text.test(empty.text)));
      expect(wrong).toEqual([]);
    });

    test("no verdict claims more than the history shows", async () => {
      const samples = await prometheus.query(filled(verdict.expr, CHOICES), at());
      const verdicts = samples.map(({ value }) => verdict.text(value));
      expect(samples.length).toBeGreaterThan(10);
      const [right, wrong] = minutes < 360 ? ["not known yet", "lasts"] : ["lasts", "not known yet"];
      expect(verdicts).toContain(right);
      expect(verdicts).not.toContain(wrong);
    });
  });
});
